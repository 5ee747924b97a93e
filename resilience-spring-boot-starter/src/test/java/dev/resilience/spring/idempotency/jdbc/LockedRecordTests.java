package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import dev.resilience.idempotency.store.StoreTransaction;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.assertj.core.api.Assumptions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A record whose result is written, in a transaction that goes on, is nobody else's, however old its lease is. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class LockedRecordTests {

    private final Databases database;

    LockedRecordTests(Databases database) {
        this.database = database;
    }

    private void with(TestShop.Use use) {
        with("take-over", use);
    }

    private void with(String onAbandoned, TestShop.Use use) {
        TestShop.with(
                database,
                use,
                "resilience.idempotency.default.lease=30ms",
                "resilience.idempotency.default.max-lease=30ms",
                "resilience.idempotency.default.on-abandoned=" + onAbandoned);
    }

    /** From another thread, which waits for no lock. */
    private static <T> T beside(Supplier<T> call) {
        ExecutorService another = Executors.newSingleThreadExecutor();
        try {
            return CompletableFuture.supplyAsync(call, another)
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
        } finally {
            another.shutdownNow();
        }
    }

    private static String placeBeside(TestShop shop) {
        return beside(() -> shop.orders().place("k"));
    }

    private void awaitEndOfLease(TestShop shop) {
        Awaitility.await()
                .until(() -> !shop.outside()
                        .queryForList("SELECT id FROM " + JdbcIdempotencyStore.DEFAULT_TABLE
                                + " WHERE state = 'R' AND valid_until <= " + database.now())
                        .isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"take-over", "reject"})
    void anotherCallIsToldAtOnceThatItIsInProgress(String onAbandoned) {
        with(onAbandoned, shop -> {
            shop.transaction().executeWithoutResult(status -> {
                shop.orders().place("k");
                awaitEndOfLease(shop);

                assertThatThrownBy(() -> placeBeside(shop))
                        .isInstanceOf(CompletionException.class)
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

    /** As an attempt does after a commit whose answer was lost. */
    @Test
    void aTransactionThatHasOnlyAskedForItLeavesItToOthers() {
        Assumptions.assumeThat(database).isNotEqualTo(Databases.MARIADB); // keeps the lock
        with(shop -> {
            IdempotencyStore store = shop.idempotency().store();
            Duration lease = Duration.ofMinutes(1);
            Claim claim = store.claim(
                    new ClaimRequest(RecordKey.of("pay", "", "k"), "owner", "", lease, Duration.ofHours(1), false));
            LeaseToken mine = ((Claim.Acquired) claim).token();

            shop.transaction().executeWithoutResult(status -> {
                StoreTransaction current = Objects.requireNonNull(store.currentTransaction());
                assertThat(current.statusOf(mine)).isEqualTo(ClaimStatus.IN_PROGRESS);

                assertThat(beside(() -> store.renew(mine, lease))).isTrue();
            });
        });
    }

    @Test
    void operatorsLeaveItAlone() {
        with(shop -> {
            IdempotencyStore store = shop.idempotency().store();
            RecordSelection selection =
                    new RecordSelection("k", shop.idempotency().operations(), null);

            shop.transaction().executeWithoutResult(status -> {
                shop.orders().place("k");
                awaitEndOfLease(shop);

                assertThat(beside(() -> store.find(selection)))
                        .extracting(RecordSummary::state, RecordSummary::left)
                        .containsExactly(tuple(RecordSummary.State.IN_PROGRESS, Duration.ZERO));
                assertThat(beside(() -> store.resolve(selection, true))).isZero();
                assertThat(beside(() -> store.resolve(selection, false))).isZero();
                assertThat(beside(() -> store.delete(selection))).isZero();
            });

            assertThat(placeBeside(shop)).isEqualTo("order 1");
            shop.assertEffects(1);
        });
    }
}
