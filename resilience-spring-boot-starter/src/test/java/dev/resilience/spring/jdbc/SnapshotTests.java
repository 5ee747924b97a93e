package dev.resilience.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** A transaction that sees the record as it was when it began fails if that is renewed meanwhile. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.jdbc.Databases#atHand")
class SnapshotTests {

    private final Databases database;

    SnapshotTests(Databases database) {
        this.database = database;
    }

    private void with(TestShop.Use use) {
        TestShop.with(
                database,
                pool -> {},
                runner -> runner.withBean(Payments.class)
                        .withPropertyValues("resilience.idempotency.default.lease=300ms"),
                use);
    }

    /** Several renewals would have come. */
    private void awaitTwoLeases(TestShop shop) {
        String age = "SELECT " + database.now() + " - fence FROM " + JdbcIdempotencyStore.DEFAULT_TABLE;
        Awaitility.await().until(() -> shop.outside().queryForObject(age, Long.class), micros -> micros > 600_000);
    }

    @Test
    void aMethodMayTakeLongerThanItsLease() {
        with(shop -> {
            Payments payments = shop.beans().getBean(Payments.class);
            payments.beforeTheEnd(() -> awaitTwoLeases(shop));

            assertThat(payments.pay("k")).isEqualTo("paid");

            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
            assertThat(shop.stateOutside()).isEqualTo("C");
        });
    }

    /** What the application does. */
    static class Payments {

        private final JdbcTemplate jdbc;
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
    }
}
