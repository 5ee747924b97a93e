package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** An attempt that is out of time while its transaction is being committed: nobody knows yet how that ends. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class LateCommitTests {

    private final Databases database;

    LateCommitTests(Databases database) {
        this.database = database;
    }

    @Test
    void theNextAttemptDoesNotTakeItForGranted() {
        CountDownLatch commit = new CountDownLatch(1);
        TestShop.with(
                database,
                pool -> {},
                runner -> runner.withBean(Payments.class)
                        .withPropertyValues(
                                "resilience.time-limit.short.timeout=300ms",
                                "resilience.time-limit.short.thread=worker"),
                shop -> {
                    shop.beforeCommit(() -> {
                        awaitWhateverHappens(commit);
                        throw new IllegalStateException("of the commit");
                    });

                    assertThatThrownBy(
                                    () -> shop.beans().getBean(Payments.class).pay("k"))
                            .isInstanceOf(IdempotencyInProgressException.class);
                    commit.countDown();

                    Awaitility.await().until(() -> shop.stateOutside() == null);
                    shop.assertEffects(0);
                    shop.assertCounted(IdempotencyOutcome.RELEASED);
                });
    }

    private static void awaitWhateverHappens(CountDownLatch latch) {
        boolean interrupted;
        do {
            interrupted = false;
            try {
                latch.await();
            } catch (InterruptedException outOfTime) {
                interrupted = true;
            }
        } while (interrupted);
    }

    /** What the application does. */
    static class Payments {

        private final JdbcTemplate jdbc;

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(key = "#key")
        @Retryable("default")
        @TimeLimit("short")
        @Transactional
        public String pay(String key) {
            jdbc.update("INSERT INTO effects (name) VALUES (?)", key);
            return "paid";
        }
    }
}
