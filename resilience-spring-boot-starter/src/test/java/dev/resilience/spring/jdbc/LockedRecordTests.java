package dev.resilience.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A record whose result is written, in a transaction that goes on, is nobody else's, however old its lease is. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.jdbc.Databases#atHand")
class LockedRecordTests {

    private final Databases database;

    LockedRecordTests(Databases database) {
        this.database = database;
    }

    private void with(TestShop.Use use) {
        TestShop.with(
                database,
                use,
                "resilience.idempotency.default.lease=30ms",
                "resilience.idempotency.default.max-lease=30ms");
    }

    /** From another thread, which waits for no lock. */
    private static String placeBeside(TestShop shop) throws Exception {
        ExecutorService another = Executors.newSingleThreadExecutor();
        try {
            Future<String> call = another.submit(() -> shop.orders().place("k"));
            return call.get(30, TimeUnit.SECONDS);
        } finally {
            another.shutdownNow();
        }
    }

    private void awaitEndOfLease(TestShop shop) {
        Awaitility.await()
                .until(() -> !shop.outside()
                        .queryForList("SELECT id FROM " + JdbcIdempotencyStore.DEFAULT_TABLE
                                + " WHERE state = 'R' AND valid_until <= " + database.now())
                        .isEmpty());
    }

    @Test
    void anotherCallIsToldAtOnceThatItIsInProgress() {
        with(shop -> {
            shop.transaction().executeWithoutResult(status -> {
                shop.orders().place("k");
                awaitEndOfLease(shop);

                assertThatThrownBy(() -> placeBeside(shop))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(IdempotencyInProgressException.class);
            });

            assertThat(placeBeside(shop)).isEqualTo("order 1");
            shop.assertEffects(1);
            shop.assertCounted(
                    IdempotencyOutcome.IN_PROGRESS, IdempotencyOutcome.EXECUTED, IdempotencyOutcome.REPLAYED);
        });
    }

    @Test
    void soIsACallInTheSameTransaction() {
        with(shop -> shop.transaction().executeWithoutResult(status -> {
            shop.orders().place("k");

            assertThatThrownBy(() -> shop.orders().place("k")).isInstanceOf(IdempotencyInProgressException.class);
        }));
    }

    @Test
    void afterARollbackAnotherCallRuns() {
        with(shop -> {
            shop.transaction().executeWithoutResult(status -> {
                shop.orders().place("k");
                awaitEndOfLease(shop);
                status.setRollbackOnly();
            });

            assertThat(placeBeside(shop)).isEqualTo("order 2");
            shop.assertEffects(1);
        });
    }
}
