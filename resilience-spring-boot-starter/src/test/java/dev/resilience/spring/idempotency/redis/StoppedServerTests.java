package dev.resilience.spring.idempotency.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.idempotency.CountedOutcomes;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What callers get, what is counted and how many effects there are when the server stops in the middle of a call. */
class StoppedServerTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private interface Use {

        void with(Orders orders, Idempotency idempotency);
    }

    private static void with(Use use, String... properties) {
        new ApplicationContextRunner()
                .withBean(IdempotencyStore.class, REDIS::emptyStore)
                .withBean(Orders.class)
                .withPropertyValues(properties)
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class, JacksonAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.with(
                            context.getBean(Orders.class),
                            Objects.requireNonNull(context.getBean(ResilienceRegistry.class)
                                    .idempotencies()
                                    .get("default")));
                });
    }

    /** Without what it knew. */
    private static void startAgain() {
        REDIS.start();
        REDIS.awaitConnection();
    }

    @Test
    void atTheClaimThereIsNoCall() {
        with((orders, idempotency) -> {
            REDIS.stop();
            try {
                assertThatExceptionOfType(IdempotencyStoreException.class)
                        .isThrownBy(() -> orders.place("k"))
                        .withMessageContaining("the call was not made")
                        .withCauseInstanceOf(RuntimeException.class);
            } finally {
                startAgain();
            }

            assertThat(orders.effects()).isZero();
            CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.STORE_FAILURE);
            // for a moment the refused call has its key, because its claim may have been applied, and frees it
            await().ignoreExceptionsInstanceOf(IdempotencyInProgressException.class)
                    .until(() -> orders.place("k"), "order 1"::equals);
            assertThat(orders.place("k")).isEqualTo("order 1");
        });
    }

    @Test
    void atTheClaimACallThatMayRunUnprotectedDoes() {
        with(
                (orders, idempotency) -> {
                    REDIS.stop();
                    try {
                        assertThat(orders.place("k")).isEqualTo("order 1");
                    } finally {
                        startAgain();
                    }

                    CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.STORE_FAILURE);
                },
                "resilience.idempotency.default.on-store-failure=fail-open");
    }

    @Test
    void atTheCompletionTheCallerHasItsResult() {
        with((orders, idempotency) -> {
            orders.beforeReturning(REDIS::stop);
            try {
                assertThat(orders.place("k")).isEqualTo("order 1");
            } finally {
                startAgain();
            }

            assertThat(orders.effects()).isEqualTo(1);
            CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.STORE_FAILURE);
        });
    }

    @Test
    void atTheReleaseTheCallerHasItsException() {
        with((orders, idempotency) -> {
            orders.beforeReturning(() -> {
                REDIS.stop();
                throw new IllegalStateException("of the body");
            });
            try {
                assertThatIllegalStateException()
                        .isThrownBy(() -> orders.place("k"))
                        .withMessage("of the body");
            } finally {
                startAgain();
            }

            CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.STORE_FAILURE);
        });
    }

    @Test
    void aServerThatRefusesTheCompletionKeepsTheKeyForTheLease() {
        with((orders, idempotency) -> {
            orders.beforeReturning(() -> REDIS.setMaxMemory("1"));
            try {
                assertThat(orders.place("k")).isEqualTo("order 1");
            } finally {
                REDIS.setMaxMemory("0");
            }

            assertThatExceptionOfType(IdempotencyInProgressException.class).isThrownBy(() -> orders.place("k"));
            assertThat(orders.effects()).isEqualTo(1);
            CountedOutcomes.assertCounted(
                    idempotency, IdempotencyOutcome.STORE_FAILURE, IdempotencyOutcome.IN_PROGRESS);
        });
    }

    static class Orders {

        private int effects;
        private Runnable beforeReturning = () -> {};

        int effects() {
            return effects;
        }

        void beforeReturning(Runnable action) {
            beforeReturning = action;
        }

        @Idempotent(key = "#key")
        public String place(String key) {
            String order = "order " + ++effects;
            beforeReturning.run();
            return order;
        }
    }
}
