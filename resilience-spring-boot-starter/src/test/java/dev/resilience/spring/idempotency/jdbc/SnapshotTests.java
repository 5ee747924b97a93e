package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** A transaction that sees the record as it was when it began fails if that is renewed meanwhile. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class SnapshotTests {

    private final Databases database;

    SnapshotTests(Databases database) {
        this.database = database;
    }

    private void with(Duration lease, TestShop.Use use) {
        with(lease, pool -> {}, use);
    }

    private void with(Duration lease, Consumer<HikariDataSource> settings, TestShop.Use use) {
        TestShop.with(
                database,
                settings,
                runner -> runner.withBean(Payments.class)
                        .withPropertyValues(
                                "resilience.idempotency.default.lease=" + lease,
                                "resilience.retry.patient.backoff.base-delay=3s",
                                "resilience.retry.patient.backoff.jitter=none",
                                "resilience.retry.patient.retry-on-result=#result == 'not yet'"),
                use);
    }

    private void awaitTwo(Duration lease, TestShop shop) {
        String age = "SELECT " + database.now() + " - fence FROM " + JdbcIdempotencyStore.DEFAULT_TABLE;
        Awaitility.await()
                .until(
                        () -> shop.outside().queryForObject(age, Long.class),
                        micros -> micros > 2 * Dialect.micros(lease));
    }

    @Test
    void aMethodMayTakeLongerThanItsLease() {
        Duration lease = Duration.ofMillis(300);
        with(lease, shop -> {
            Payments payments = shop.beans().getBean(Payments.class);
            payments.beforeTheEnd(() -> awaitTwo(lease, shop));

            assertThat(payments.pay("k")).isEqualTo("paid");

            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
            assertThat(shop.stateOutside()).isEqualTo("C");
        });
    }

    @Test
    void andSoItMayIfThePoolSaysHowTransactionsAreIsolated() {
        Duration lease = Duration.ofMillis(300);
        with(lease, pool -> pool.setTransactionIsolation("TRANSACTION_REPEATABLE_READ"), shop -> {
            shop.orders().beforeReturning(() -> awaitTwo(lease, shop));

            assertThat(shop.orders().place("k")).isEqualTo("order 1");

            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
        });
    }

    @Test
    void itsKeyIsTakenHoweverLongItTakes() {
        Duration lease = Duration.ofMillis(300);
        with(lease, shop -> {
            Payments payments = shop.beans().getBean(Payments.class);
            payments.beforeTheEnd(() -> {
                awaitTwo(lease, shop);
                CompletableFuture<String> another = CompletableFuture.supplyAsync(() -> payments.pay("k"));
                assertThat(another)
                        .failsWithin(Duration.ofSeconds(30))
                        .withThrowableThat()
                        .withCauseInstanceOf(IdempotencyInProgressException.class);
            });

            assertThat(payments.pay("k")).isEqualTo("paid");

            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.IN_PROGRESS, IdempotencyOutcome.EXECUTED);
        });
    }

    @Test
    void itsKeyIsHeldBetweenTwoAttempts() {
        Duration lease = Duration.ofSeconds(1);
        with(lease, shop -> {
            Payments payments = shop.beans().getBean(Payments.class);
            CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> payments.poll("k"));
            Awaitility.await().until(() -> "R".equals(shop.stateOutside()));
            awaitTwo(lease, shop);

            assertThatThrownBy(() -> payments.poll("k")).isInstanceOf(IdempotencyInProgressException.class);

            assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("paid");
        });
    }

    /** What the application does. */
    static class Payments {

        private final JdbcTemplate jdbc;
        private final AtomicInteger polls = new AtomicInteger();
        private Runnable beforeTheEnd = () -> {};

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        void beforeTheEnd(Runnable action) {
            beforeTheEnd = action;
        }

        @Idempotent(key = "#key")
        @Transactional(isolation = Isolation.REPEATABLE_READ)
        public String pay(String key) {
            jdbc.update("INSERT INTO effects (name) VALUES (?)", key);
            beforeTheEnd.run();
            return "paid";
        }

        @Idempotent(key = "#key")
        @Retryable("patient")
        @Transactional(isolation = Isolation.REPEATABLE_READ)
        public String poll(String key) {
            return polls.incrementAndGet() == 1 ? "not yet" : "paid";
        }
    }
}
