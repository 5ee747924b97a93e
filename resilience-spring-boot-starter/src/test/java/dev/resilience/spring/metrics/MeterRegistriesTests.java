package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.ConnectException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MeterRegistryCustomizer;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class MeterRegistriesTests {

    @Nested
    class OfBoot {

        @Test
        void applyTheirCommonTags() {
            withBoot(CommonTags.class)
                    .run(context -> assertThat(context.getBean(MeterRegistry.class)
                                    .get("resilience.retry.attempts")
                                    .tags("name", "three", "region", "north")
                                    .functionCounter()
                                    .count())
                            .isZero());
        }

        @Test
        void applyTheirFilters() {
            withBoot(Filters.class).run(context -> {
                MeterRegistry registry = context.getBean(MeterRegistry.class);
                assertThat(registry.find("resilience.retry.attempts").meters()).isEmpty();
                assertThat(registry.find("resilience.retry.calls").meters()).isNotEmpty();
            });
        }

        @Test
        void areAllBoundAndEachCountsOnce() {
            withBoot(TwoRegistries.class).run(context -> {
                context.getBean(Callee.class).failNext(1);
                context.getBean(Shop.class).sell();

                for (String name : new String[] {"first", "second"}) {
                    MeterRegistry registry = context.getBean(name, SimpleMeterRegistry.class);
                    assertThat(registry.get("resilience.retry.attempts")
                                    .tag("name", "three")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(registry.get("resilience.retry.duration")
                                    .tags("name", "three", "outcome", "success_after_retry")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                }
                assertThat(context.getBean(MeterRegistry.class)).isInstanceOf(CompositeMeterRegistry.class);
            });
        }

        private ApplicationContextRunner withBoot(Class<?> configuration) {
            return Applications.plain(Shop.class, configuration)
                    .withConfiguration(SortedOnce.of(
                            MetricsAutoConfiguration.class,
                            CompositeMeterRegistryAutoConfiguration.class,
                            SimpleMetricsExportAutoConfiguration.class,
                            ResilienceMetricsAutoConfiguration.class));
        }
    }

    @Nested
    class WithoutBoot {

        @Test
        void areBoundAllTheSame() {
            Meters.application(Shop.class).run(context -> {
                context.getBean(Callee.class).failNext(1);
                context.getBean(Shop.class).sell();
                assertThat(Meters.of(context).count("resilience.retry.attempts", "name", "three"))
                        .isEqualTo(1);
            });
        }
    }

    @Nested
    class Missing {

        @Test
        void areNotNeeded() {
            Applications.plain(Shop.class)
                    .withConfiguration(SortedOnce.of(ResilienceMetricsAutoConfiguration.class))
                    .run(context -> {
                        assertThat(context).hasNotFailed().doesNotHaveBean("resilienceMeters");
                        context.getBean(Callee.class).failNext(1);
                        assertThat(context.getBean(Shop.class).sell()).isEqualTo("answer 2");
                    });
        }
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Retryable("three")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class CommonTags {

        @Bean
        MeterRegistryCustomizer<MeterRegistry> region() {
            return registry -> registry.config().commonTags("region", "north");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Filters {

        @Bean
        MeterFilter noAttempts() {
            return MeterFilter.denyNameStartsWith("resilience.retry.attempts");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoRegistries {

        @Bean
        SimpleMeterRegistry first() {
            return new SimpleMeterRegistry();
        }

        @Bean
        SimpleMeterRegistry second() {
            return new SimpleMeterRegistry();
        }
    }
}
