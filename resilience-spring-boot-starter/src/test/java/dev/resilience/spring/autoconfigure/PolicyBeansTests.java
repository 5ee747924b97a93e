package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.PolicyCustomizer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;

/** Policies and their customizers that are beans of the application. */
class PolicyBeansTests {

    @TempDir
    Path directory;

    @Test
    void aBeanIsThePolicyOfItsName() {
        run("resilience.retry.default.max-attempts: 9", registry -> {
            RetryPolicy payments =
                    registry.<Retry>ofKind("retry").get("payments").policy();
            assertThat(payments.maxAttempts()).isEqualTo(7);
            assertThat(payments.maxRetryAfter()).isEqualTo(Duration.ofSeconds(60));
            assertThat(registry.usedBy("retry", "payments")).containsExactly("Shop.pay()");
        });
    }

    @Test
    void propertiesAndAnnotationsGoOnTopOfABean() {
        run("resilience.retry.payments.backoff.base-delay: 50ms", registry -> {
            RetryPolicy payments =
                    registry.<Retry>ofKind("retry").get("payments").policy();
            assertThat(payments.maxAttempts()).isEqualTo(7);
            assertThat(payments.backoff().baseDelay()).isEqualTo(Duration.ofMillis(50));
            assertThat(payments.backoff().multiplier()).isEqualTo(5);
            RetryPolicy refunds = registry.<Retry>ofKind("retry").get("refunds").policy();
            assertThat(refunds.maxAttempts()).isEqualTo(2);
            assertThat(refunds.backoff().multiplier()).isEqualTo(5);
        });
    }

    @Test
    void otherPoliciesExtendABean() {
        run(
                "resilience.retry.like.extends: payments",
                registry -> assertThat(registry.<Retry>ofKind("retry")
                                .get("like")
                                .policy()
                                .maxAttempts())
                        .isEqualTo(7));
    }

    @Test
    void aBeanOfTheNameDefaultIsWhatAllOthersStartFrom() {
        YamlApplication.of(directory, "resilience.retry.other.backoff.base-delay: 1s")
                .withBean(
                        "default",
                        RetryPolicy.class,
                        () -> RetryPolicy.builder().maxAttempts(8).build())
                .run(context -> assertThat(context.getBean(LiveRegistry.class)
                                .<Retry>ofKind("retry")
                                .get("other")
                                .policy()
                                .maxAttempts())
                        .isEqualTo(8));
    }

    @Test
    void aBeanMayNeedPropertiesOfTheApplicationAndMayBeLazy() {
        run(
                "shop.attempts: 4",
                registry -> assertThat(registry.<Retry>ofKind("retry")
                                .get("configured")
                                .policy()
                                .maxAttempts())
                        .isEqualTo(4));
    }

    @Test
    void customizersHaveTheLastWordInTheirOrder() {
        run("resilience.bulkhead.search.max-concurrent: 30", registry -> {
            assertThat(registry.<Bulkhead>ofKind("bulkhead")
                            .get("search")
                            .policy()
                            .maxConcurrent())
                    .isEqualTo(62);
            assertThat(registry.<Bulkhead>ofKind("bulkhead")
                            .get("default")
                            .policy()
                            .maxConcurrent())
                    .isEqualTo(10);
            assertThat(Beans.NAMES).containsExactlyInAnyOrder("default", "search");
        });
    }

    private void run(String yaml, Consumer<LiveRegistry> check) {
        Beans.NAMES.clear();
        YamlApplication.of(directory, yaml)
                .withUserConfiguration(Beans.class, Shop.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    check.accept(context.getBean(LiveRegistry.class));
                });
    }

    @ConfigurationProperties("shop")
    record ShopProperties(int attempts) {}

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(ShopProperties.class)
    static class Beans {

        static final List<String> NAMES = new ArrayList<>();

        @Bean
        RetryPolicy payments() {
            return policy(7);
        }

        @Bean
        RetryPolicy refunds() {
            return policy(7);
        }

        @Bean
        @Lazy
        RetryPolicy configured(ShopProperties shop) {
            return policy(Math.max(1, shop.attempts()));
        }

        private static RetryPolicy policy(int attempts) {
            Backoff byDefault = Backoff.DEFAULT;
            return RetryPolicy.builder()
                    .maxAttempts(attempts)
                    .backoff(new Backoff(
                            byDefault.strategy(),
                            byDefault.baseDelay(),
                            5,
                            byDefault.maxDelay(),
                            byDefault.jitter(),
                            byDefault.jitterFactor()))
                    .build();
        }

        @Bean
        @Order(2)
        PolicyCustomizer<BulkheadPolicy> twoMore() {
            return (name, policy) -> name.equals("default") ? policy : concurrent(policy.maxConcurrent() + 2);
        }

        @Bean
        @Order(1)
        PolicyCustomizer<BulkheadPolicy> doubled() {
            return (name, policy) -> {
                NAMES.add(name);
                return name.equals("default") ? policy : concurrent(policy.maxConcurrent() * 2);
            };
        }

        private static BulkheadPolicy concurrent(int calls) {
            return BulkheadPolicy.builder().maxConcurrent(calls).build();
        }
    }

    static class Shop {

        @Retryable("payments")
        public void pay() {}

        @Retryable(value = "refunds", maxAttempts = 2)
        public void refund() {}
    }
}
