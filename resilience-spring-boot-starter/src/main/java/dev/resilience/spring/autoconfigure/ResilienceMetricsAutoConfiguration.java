package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.aop.StartupChecks;
import dev.resilience.spring.metrics.ResilienceMeters;
import dev.resilience.spring.web.CallContextExtractor;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
    Binding resilienceMeters(
            ResilienceRuntime resilienceRuntime,
            ObjectProvider<CallContextExtractor> resilienceIncomingCalls,
            StartupChecks resilienceStartupChecks) {
        return new Binding(resilienceRuntime, resilienceIncomingCalls, resilienceStartupChecks);
    }

    static final class Binding implements MeterBinder, AutoCloseable {

        private final ResilienceRuntime runtime;
        private final ObjectProvider<CallContextExtractor> incomingCalls;
        private final StartupChecks checks;
        private final List<ResilienceMeters> bound = new CopyOnWriteArrayList<>();

        Binding(ResilienceRuntime runtime, ObjectProvider<CallContextExtractor> incomingCalls, StartupChecks checks) {
            this.runtime = runtime;
            this.incomingCalls = incomingCalls;
            this.checks = checks;
        }

        @Override
        public void bindTo(MeterRegistry registry) {
            checks.run();
            runtime.whenNeeded(() -> {
                ResilienceMeters meters = new ResilienceMeters(
                        runtime.live(), runtime.kinds(), runtime.events, incomingCalls.getIfAvailable(), checks::run);
                bound.add(meters);
                meters.bindTo(registry);
            });
        }

        @Override
        public void close() {
            bound.forEach(ResilienceMeters::close);
        }
    }

    /** Where Boot's own metrics are not at work, nothing else binds. */
    @Bean
    @ConditionalOnMissingBean(name = "meterRegistryPostProcessor")
    SmartInitializingSingleton resilienceMeterBinding(
            ObjectProvider<MeterRegistry> meterRegistries, Binding resilienceMeters) {
        return () -> meterRegistries.orderedStream().forEach(resilienceMeters::bindTo);
    }
}
