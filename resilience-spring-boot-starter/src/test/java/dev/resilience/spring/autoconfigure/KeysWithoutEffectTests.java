package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.StartupWarnings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;

/** What is configured and has no effect beside another value is told. */
class KeysWithoutEffectTests {

    private static List<String> warnings(String... properties) {
        return warnings(Applications.plain(), properties);
    }

    private static List<String> warnings(ApplicationContextRunner runner, String... properties) {
        List<String> warnings = new ArrayList<>();
        runner.withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(StartupWarnings.class).all().stream()
                    .filter(warning -> warning.contains(" has no effect"))
                    .forEach(warnings::add);
        });
        return warnings;
    }

    /** The key without an effect first, then what leaves it without one, and what gives it one. */
    @ParameterizedTest
    @CsvSource({
        "retry, backoff.multiplier=3, backoff.strategy=fixed, backoff.strategy=exponential",
        "retry, backoff.multiplier=3, backoff.strategy=linear, backoff.jitter=equal",
        "retry, backoff.multiplier=3, backoff.jitter=decorrelated, backoff.jitter=full",
        "retry, backoff.jitter-factor=0.3, backoff.jitter=full, backoff.jitter=proportional",
        "retry, backoff.max-delay=40s, backoff.strategy=fixed, backoff.strategy=linear",
        "retry, backoff.max-delay=40s, backoff.multiplier=1, backoff.multiplier=1.5",
        "retry, retry-unknown=true, retry-if=rule, nested=allow",
        "retry, retry-on-status=503, retry-if=rule, nested=allow",
        "retry, max-retry-after=5s, honor-retry-after=false, honor-retry-after=true",
        "retry, dead-letter.replay=auto, dead-letter=false, dead-letter=true",
        "retry, fail-when-exhausted=true, nested=allow, retry-on-result=#result == null",
        "circuit-breaker, window.size=50, window.type=time, window.type=count",
        "circuit-breaker, window.duration=10s, window.type=count, window.type=time",
        "circuit-breaker, window.duration=10s, failure-rate-threshold=0, failure-rate-threshold=0.1",
        "circuit-breaker, window.type=count, failure-rate-threshold=0, failure-rate-threshold=0.1",
        "circuit-breaker, max-open-duration=2m, open-duration-multiplier=1, open-duration-multiplier=2",
        "circuit-breaker, open-duration-multiplier=2, max-open-duration=30s, max-open-duration=31s",
        "circuit-breaker, slow-call-rate-threshold=0.7, health=down, slow-call-duration=1s",
        "circuit-breaker, minimum-calls=20, failure-rate-threshold=0, failure-rate-threshold=0.1",
        "bulkhead, queue-timeout=1s, max-queue=0, max-queue=1",
        "bulkhead, min-concurrent=2, type=semaphore, type=adaptive",
        "bulkhead, min-concurrent=2, type=thread-pool, type=adaptive",
        "idempotency, wait-timeout=1s, on-in-progress=reject, on-in-progress=wait"
    })
    void areWarnedOfAndOthersAreNot(String kind, String key, String without, String with) {
        String prefix = "resilience." + kind + ".payments.";
        String name = key.substring(0, key.indexOf('='));
        ApplicationContextRunner runner = Applications.plain(Rules.class);

        assertThat(warnings(runner, prefix + key, prefix + without))
                .singleElement()
                .asString()
                .startsWith(prefix + name + " has no effect")
                .contains("[key-without-effect]");
        assertThat(warnings(runner, prefix + key, prefix + with)).isEmpty();
    }

    static class Rules {

        @Bean
        Predicate<Throwable> rule() {
            return failure -> true;
        }
    }

    /** The key first, then what leaves it without an effect, and what gives it one. */
    @ParameterizedTest
    @CsvSource({
        "idempotency-store.jdbc.table-name=records, idempotency-store.type=memory, idempotency-store.type=auto",
        "idempotency-store.redis.key-prefix=shop:, idempotency-store.type=memory, idempotency-store.type=auto",
        "dead-letter-store.jdbc.table-name=letters, dead-letter-store.type=memory, dead-letter-store.type=auto"
    })
    void amongGeneralOnesAreWarnedOf(String key, String without, String with) {
        String name = key.substring(0, key.indexOf('='));

        assertThat(warnings("resilience." + key, "resilience." + without))
                .singleElement()
                .asString()
                .startsWith("resilience." + name + " has no effect");
        assertThat(warnings("resilience." + key, "resilience." + with)).isEmpty();
    }

    @Test
    void aFingerprintThatThePolicyDoesNotCompareIsWarnedOf() {
        ApplicationContextRunner runner = Applications.plain(Orders.class);

        assertThat(warnings(runner, "resilience.idempotency.orders.fingerprint=false"))
                .singleElement()
                .asString()
                .contains("Orders.place(", "'orders'");
        assertThat(warnings(runner, "resilience.idempotency.orders.fingerprint=true"))
                .isEmpty();
    }

    static class Orders {

        @Idempotent(value = "orders", key = "#id", fingerprint = "#amount")
        public String place(String id, int amount) {
            return id + amount;
        }
    }

    @Test
    void minimumCallsCountForSlowCallsToo() {
        String prefix = "resilience.circuit-breaker.payments.";

        assertThat(warnings(
                        prefix + "minimum-calls=20",
                        prefix + "failure-rate-threshold=0",
                        prefix + "slow-call-duration=1s"))
                .isEmpty();
    }

    @Test
    void aBreakerThatOnlyCountsShowsTheRateOfItsWindow() {
        String prefix = "resilience.circuit-breaker.payments.";

        assertThat(warnings(
                        prefix + "window.duration=10s",
                        prefix + "failure-rate-threshold=0",
                        prefix + "initial-state=metrics-only"))
                .isEmpty();
    }

    @Test
    void aLimitThatAnotherValueNeedsIsNotWarnedOf() {
        assertThat(warnings(
                        "resilience.retry.payments.backoff.strategy=fixed",
                        "resilience.retry.payments.backoff.base-delay=60s",
                        "resilience.retry.payments.backoff.max-delay=60s",
                        "resilience.circuit-breaker.payments.open-duration=10m",
                        "resilience.circuit-breaker.payments.max-open-duration=10m",
                        "resilience.circuit-breaker.payments.open-duration-multiplier=1"))
                .isEmpty();
    }

    @Test
    void aValueThatAnotherPolicyInheritsAndUsesIsNotWarnedOf() {
        assertThat(warnings(
                        "resilience.retry.default.backoff.jitter-factor=0.3",
                        "resilience.retry.payments.backoff.jitter=proportional"))
                .isEmpty();
    }

    @Test
    void aValueThatTheHeirReplacesIsWarnedOf() {
        assertThat(warnings(
                        "resilience.retry.default.backoff.jitter-factor=0.3",
                        "resilience.retry.payments.backoff.jitter-factor=0.4",
                        "resilience.retry.payments.backoff.jitter=proportional"))
                .singleElement()
                .asString()
                .startsWith("resilience.retry.default.backoff.jitter-factor");
    }

    @Test
    void aValueThatIsOnlyInheritedIsWarnedOfOnce() {
        assertThat(warnings(
                        "resilience.retry.base.backoff.jitter-factor=0.3",
                        "resilience.retry.payments.extends=base",
                        "resilience.retry.stock.extends=base"))
                .singleElement()
                .asString()
                .startsWith("resilience.retry.base.backoff.jitter-factor");
    }

    @Test
    void anAttributeIsNamedWithItsMethod() {
        assertThat(warnings(Applications.plain(Shop.class), "resilience.retry.[Shop.sell].backoff.strategy=fixed"))
                .singleElement()
                .asString()
                .contains("multiplier", "@Retryable", Shop.class.getSimpleName() + ".sell()", "has no effect");
    }

    static class Shop {

        @Retryable(multiplier = 3)
        public void sell() {}
    }
}
