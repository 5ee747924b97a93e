package dev.resilience.spring.autoconfigure;

import dev.resilience.event.internal.EventPublisher;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.aop.check.StartupCheck;
import dev.resilience.spring.kind.Kinds;
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
@ConditionalOnBean({MeterRegistry.class, ResilienceRegistry.class})
public final class ResilienceMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ResilienceMeters resilienceMeters(
            LiveRegistry resilienceLiveRegistry,
            Kinds resilienceKinds,
            EventPublisher resilienceEvents,
            ObjectProvider<CallContextExtractor> resilienceIncomingCalls,
            StartupCheck resilienceStartupCheck) {
        return new ResilienceMeters(
                resilienceLiveRegistry,
                resilienceKinds,
                resilienceEvents,
                resilienceIncomingCalls.getIfAvailable(),
                resilienceStartupCheck::run);
    }

    /** Where Boot's own metrics are not at work, nothing else binds. */
    @Bean
    @ConditionalOnMissingBean(
            type = "org.springframework.boot.micrometer.metrics.autoconfigure.MeterRegistryPostProcessor")
    SmartInitializingSingleton resilienceMeterBinding(
            ObjectProvider<MeterRegistry> meterRegistries, ResilienceMeters meters) {
        return () -> meterRegistries.orderedStream().forEach(meters::bindTo);
    }
}
