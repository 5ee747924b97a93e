package dev.resilience.sample;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import java.lang.annotation.Annotation;
import java.net.ConnectException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** What the dashboard shows in tests: a service whose warehouse may be down, and a kind of the application's own. */
@TestConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(DashboardApplication.Warehouse.class)
class DashboardApplication {

    /** Starts it on a free port; properties are names and values in turn. */
    static ConfigurableApplicationContext start(String... properties) {
        Map<String, String> all = new LinkedHashMap<>(Map.of(
                "server.port", "0",
                "management.endpoints.web.exposure.include", "resilience,resiliencedashboard",
                "resilience.retry.warehouse.max-attempts", "2",
                "resilience.retry.warehouse.backoff.base-delay", "1ms",
                "resilience.circuit-breaker.warehouse.failure-threshold", "3",
                "resilience.circuit-breaker.warehouse.open-duration", "1h",
                "resilience.circuit-breaker.warehouse.max-open-duration", "1h",
                "resilience.bulkhead.warehouse.max-concurrent", "4",
                "resilience.registry.max-created", "2000",
                "resilience.quota.partners.size", "7"));
        for (int i = 0; i < properties.length; i += 2) {
            all.put(properties[i], properties[i + 1]);
        }
        return new SpringApplication(DashboardApplication.class)
                .run(all.entrySet().stream()
                        .map(property -> "--" + property.getKey() + "=" + property.getValue())
                        .toArray(String[]::new));
    }

    @Bean
    static QuotaKind quotas() {
        return new QuotaKind();
    }

    /** Is down when a test says so. */
    static class Warehouse {

        private volatile boolean isDown;

        public void goDown(boolean down) {
            isDown = down;
        }

        @Bulkhead("warehouse")
        @CircuitBreaker("warehouse")
        @Retryable("warehouse")
        public String find() throws ConnectException {
            if (isDown) {
                throw new ConnectException("Connection refused: warehouse.example.com:443");
            }
            return "found";
        }

        @Idempotent(value = "orders", key = "#key")
        public String order(String key) {
            return key;
        }
    }

    /** What is configured below {@code resilience.quota.<name>}. */
    public record QuotaPolicy(int size) {}

    /** A quota, which has a state in each form. */
    static final class Quota implements LiveObject<QuotaPolicy> {

        private final String name;
        private final QuotaPolicy policy;
        private final AtomicLong used = new AtomicLong();

        Quota(String name, QuotaPolicy policy) {
            this.name = name;
            this.policy = policy;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public QuotaPolicy policy() {
            return policy;
        }
    }

    /** A kind that says nothing to the page but what its state is. */
    static final class QuotaKind extends ConfiguredKind<Annotation, QuotaPolicy, Quota> {

        QuotaKind() {
            super("quota", null, null, new QuotaPolicy(1));
        }

        @Override
        public Quota create(String name, QuotaPolicy policy, KindContext context) {
            context.usedBy("partners of the shop");
            return new Quota(name, policy);
        }

        @Override
        public Map<String, Object> state(Quota quota) {
            Map<String, Object> state = new LinkedHashMap<>();
            state.put("granted", Map.of("given", quota.used.addAndGet(3)));
            state.put("left", 41);
            state.put("mood", "GENEROUS");
            return state;
        }
    }
}
