package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.aop.StartupChecks;
import dev.resilience.spring.metrics.ResilienceMeters;
import dev.resilience.spring.web.CallContextExtractor;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Shows the live objects to every {@link MeterRegistry}. */
@AutoConfiguration(
        after = ResilienceAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(value = MeterRegistry.class, name = ResilienceRuntime.REGISTRY)
public final class ResilienceMetricsAutoConfiguration {

    /** Creates the meters with the live objects, and not before. */
    @Bean
    @ConditionalOnMissingBean(name = "resilienceMeters") // that of a parent context
    ResilienceMeters resilienceMeters(
            ResilienceRuntime resilienceRuntime,
            ObjectProvider<CallContextExtractor> resilienceIncomingCalls,
            StartupChecks resilienceStartupChecks) {
        return new ResilienceMeters(
                resilienceRuntime::registry,
                resilienceRuntime.events,
                resilienceIncomingCalls::getIfAvailable,
                resilienceStartupChecks::run,
                resilienceRuntime::whenNeeded);
    }

    /** Where Boot's own metrics are not at work, nothing else binds. */
    @Bean
    @ConditionalOnMissingBean(name = "meterRegistryPostProcessor")
    SmartInitializingSingleton resilienceMeterBinding(
            ObjectProvider<MeterRegistry> meterRegistries, ResilienceMeters resilienceMeters) {
        return () -> meterRegistries.orderedStream().forEach(resilienceMeters::bindTo);
    }
}
