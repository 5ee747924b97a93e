package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.spring.Applications;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** What people read beside a meter. */
class MeterDescriptionsTests {

    @Test
    void everyMeterHasADescription() {
        new WebApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration.class,
                        ResilienceWebAutoConfiguration.class,
                        ResilienceMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withBean(Shop.class)
                .withPropertyValues(
                        "resilience.retry.payments.max-attempts=2",
                        "resilience.circuit-breaker.payments.minimum-calls=5",
                        "resilience.idempotency.payments.ttl=1h",
                        "resilience.idempotency-store.type=memory")
                .run(context -> {
                    List<Meter.Id> ids = context.getBean(MeterRegistry.class).getMeters().stream()
                            .map(Meter::getId)
                            .filter(id -> id.getName().startsWith("resilience."))
                            .toList();

                    assertThat(ids.stream().map(Meter.Id::getName).distinct()).hasSizeGreaterThanOrEqualTo(23);
                    assertThat(ids)
                            .allSatisfy(id -> assertThat(id.getDescription()).isNotBlank());
                });
    }

    @Test
    void prometheusShowsThemAsHelpAndItsNamesStayAsTheyWere() {
        withPrometheus().run(context -> {
            String scraped = context.getBean(PrometheusMeterRegistry.class).scrape();

            assertThat(scraped.lines().filter(line -> line.startsWith("# HELP resilience_")))
                    .contains(
                            "# HELP resilience_bulkhead_calls_total Calls to the bulkhead by how they were received",
                            "# HELP resilience_circuitbreaker_state State of the circuit breaker: 0 closed, 1 open, "
                                    + "2 half-open, 3 forced open, 4 disabled, 5 metrics only",
                            "# HELP resilience_circuitbreaker_transitions_total Changes of the circuit breaker's state",
                            "# HELP resilience_retry_attempts_total Retries made; first attempts are not counted",
                            "# HELP resilience_timelimit_workers Worker threads of the time limit that are busy")
                    .allSatisfy(help -> assertThat(help).matches("# HELP \\S+ \\S.+"));
            assertThat(scraped)
                    .contains(
                            "resilience_circuitbreaker_slow_calls_total{name=\"payments\"} 0.0",
                            "resilience_circuitbreaker_failure_rate{name=\"payments\"} NaN",
                            "resilience_bulkhead_running{name=\"default\"} 0.0",
                            "resilience_circuitbreaker_transitions_total{from=\"closed\",name=\"payments\",to=\"half_open\"} "
                                    + "0.0")
                    .doesNotContain("resilience_circuitbreaker_state{name=\"default\"}");
        });
    }

    private static ApplicationContextRunner withPrometheus() {
        return Applications.plain(Shop.class)
                .withConfiguration(SortedOnce.of(ResilienceMetricsAutoConfiguration.class))
                .withPropertyValues("resilience.circuit-breaker.payments.minimum-calls=5")
                .withBean(PrometheusMeterRegistry.class, () -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }

    static class Shop {

        @Bulkhead("default")
        @TimeLimit("default")
        @Fallback("nothing")
        public String sell() {
            return "sold";
        }

        String nothing() {
            return "nothing";
        }
    }
}
