package dev.resilience.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.ConnectException;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A whole application: web server, actuator and metrics. */
@ExtendWith(OutputCaptureExtension.class)
class StartupTests {

    @Test
    void theLibraryAddsItsMetersAndTakesNoneOfBootsAway(CapturedOutput output) {
        Set<String> without = new TreeSet<>();
        try (ConfigurableApplicationContext context = start("--resilience.enabled=false")) {
            without.addAll(meters(context));
        }
        try (ConfigurableApplicationContext context = start()) {
            Set<String> added = meters(context);
            assertThat(added).containsAll(without);

            added.removeAll(without);
            assertThat(added)
                    .allMatch(meter -> meter.startsWith("resilience."))
                    .hasSize(promisedSeries(context.getBean(LiveRegistry.class)));
        }
        assertThat(without).hasSizeGreaterThan(50).noneMatch(meter -> meter.startsWith("resilience."));
        assertThat(output)
                .doesNotContain("not eligible for getting processed by all BeanPostProcessors")
                .contains(
                        "'resilience.retry.unlimited' has no effect", "'resilience.retry-budget.shared' has no effect");
    }

    private static int promisedSeries(LiveRegistry registry) {
        int retry = 7 + 1 + 6 + 2; // outcomes, attempts, durations, threads and their queue
        int circuitBreaker = 5 + 1 + 1 + 1 + 30; // outcomes, state, failure rate, slow calls, transitions
        int bulkhead = 4 + 3 + 1; // outcomes, gauges, wait
        int timeLimit = 3 + 1; // outcomes, workers
        int idempotency = 10; // outcomes
        int fallback = 2; // outcomes
        int deadline = 2; // outcomes
        int memory = 2; // used, limit
        return used(registry, "retry") * retry
                + used(registry, "retry-budget")
                + used(registry, "circuit-breaker") * circuitBreaker
                + used(registry, "bulkhead") * bulkhead
                + used(registry, "time-limit") * timeLimit
                + used(registry, "idempotency") * idempotency
                + registry.ofKind("fallback").size() * fallback
                + deadline
                + memory;
    }

    /** How many policies of a kind have series: all but a default that no method uses. */
    private static int used(LiveRegistry registry, String kind) {
        return (int) registry.ofKind(kind).keySet().stream()
                .filter(name -> !registry.isUnusedDefault(kind, name))
                .count();
    }

    private static ConfigurableApplicationContext start(String... arguments) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.hikari.pool-name=pool",
                        "spring.main.banner-mode=off",
                        "management.endpoints.web.exposure.include=*",
                        "resilience.retry.payments.max-attempts=3",
                        "resilience.retry.unlimited.budget=none",
                        "resilience.retry-budget.shared.window=5s",
                        "resilience.circuit-breaker.payments.failure-threshold=2",
                        "resilience.bulkhead.payments.max-concurrent=2",
                        "resilience.time-limit.payments.timeout=2s",
                        "resilience.idempotency.payments.ttl=1h",
                        "resilience.idempotency-store.type=memory")
                .run(arguments);
    }

    private static Set<String> meters(ConfigurableApplicationContext context) {
        return context.getBean(MeterRegistry.class).getMeters().stream()
                .map(Meter::getId)
                .filter(id -> !id.getName().startsWith("jvm.gc.")) // these come with the first collection
                .map(id -> id.getName() + id.getTags())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    static class Payments {

        @Autowired
        Callee callee;

        @Fallback("later")
        @Idempotent(value = "payments", key = "#order")
        @Bulkhead("payments")
        @CircuitBreaker("payments")
        @Retryable("payments")
        @TimeLimit("payments")
        public String pay(String order) throws ConnectException {
            return callee.call();
        }

        String later(String order) {
            return "later";
        }
    }

    @RestController
    static class Desk {

        private final Payments payments;

        Desk(Payments payments) {
            this.payments = payments;
        }

        @GetMapping("/pay")
        String pay() throws ConnectException {
            return payments.pay("order");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Payments.class, Desk.class, Callee.class})
    static class Application {}
}
