package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.idempotency.CountedOutcomes;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction of another data source says nothing about what is done in the one of the records. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class ForeignTransactionTests {

    private final Databases database;

    ForeignTransactionTests(Databases database) {
        this.database = database;
    }

    /** Spring binds the connection that the template uses, as it would in a transaction. */
    @Test
    void theResultIsWrittenByItself() {
        try (HikariDataSource pool = database.pool();
                HikariDataSource another = Databases.H2.pool()) {
            JdbcTemplate jdbc = new JdbcTemplate(pool);
            jdbc.execute("DROP TABLE IF EXISTS effects");
            jdbc.execute("CREATE TABLE effects (name VARCHAR(100))");
            jdbc.execute("DROP TABLE IF EXISTS " + JdbcIdempotencyStore.DEFAULT_TABLE);
            TestShop.runner(pool)
                    .withBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(another))
                    .withBean(Orders.class)
                    .run(context -> {
                        Orders orders = context.getBean(Orders.class);
                        new TransactionTemplate(context.getBean(JdbcTransactionManager.class))
                                .executeWithoutResult(status -> {
                                    orders.place("k");
                                    status.setRollbackOnly();
                                });

                        assertThat(orders.place("k")).isEqualTo("order k");
                        assertThat(jdbc.queryForList("SELECT name FROM effects", String.class))
                                .containsExactly("k");
                        CountedOutcomes.assertCounted(
                                Objects.requireNonNull(context.getBean(ResilienceRegistry.class)
                                        .idempotencies()
                                        .get("default")),
                                IdempotencyOutcome.EXECUTED,
                                IdempotencyOutcome.REPLAYED);
                    });
        }
    }

    /** Of a pool whose connections do not commit by themselves it says no more, and nobody would commit it. */
    @Test
    void notEvenIfItsConnectionsAreToBeCommitted() {
        TestShop.with(database, pool -> pool.setAutoCommit(false), runner -> runner.withBean(Orders.class), shop -> {
            Orders orders = shop.beans().getBean(Orders.class);
            try (HikariDataSource another = Databases.H2.pool()) {
                new TransactionTemplate(new JdbcTransactionManager(another))
                        .executeWithoutResult(
                                status -> assertThat(orders.look("k")).isEqualTo("look 1"));
            }

            assertThat(orders.look("k")).isEqualTo("look 1");
            shop.assertCounted(IdempotencyOutcome.EXECUTED, IdempotencyOutcome.REPLAYED);
        });
    }

    /** What the application does. */
    static class Orders {

        private final JdbcTemplate jdbc;
        private int looks;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(key = "#key")
        public String place(String key) {
            jdbc.update("INSERT INTO effects (name) VALUES (?)", key);
            return "order " + key;
        }

        @Idempotent(key = "#key")
        public String look(String key) {
            jdbc.queryForList("SELECT name FROM effects");
            return "look " + ++looks;
        }
    }
}
