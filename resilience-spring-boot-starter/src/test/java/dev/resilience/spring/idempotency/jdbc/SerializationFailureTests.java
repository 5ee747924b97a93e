package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.IdempotencyOutcome;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** A transaction that cannot be serialised with a renewal of its own call's lease is tried again. */
class SerializationFailureTests {

    @Test
    void atTheRecordOfTheCallIsRetried() {
        TestShop.with(
                Databases.POSTGRESQL,
                pool -> {},
                runner -> runner.withBean(Payments.class).withUserConfiguration(Looking.class),
                shop -> {
                    Looking.Manager manager = (Looking.Manager) shop.transactions();
                    manager.thenOnce = () -> shop.outside()
                            .update("UPDATE " + JdbcIdempotencyStore.DEFAULT_TABLE
                                    + " SET valid_until = valid_until + 1");

                    assertThat(shop.beans().getBean(Payments.class).pay("k")).isEqualTo("paid");

                    assertThat(manager.begun).isEqualTo(2);
                    shop.assertEffects(1);
                    shop.assertCounted(IdempotencyOutcome.EXECUTED);
                });
    }

    /** Takes the snapshot of each transaction before the record can be locked in it. */
    @Configuration(proxyBeanMethods = false)
    static class Looking {

        @Bean
        Manager transactionManager(DataSource dataSource) {
            return new Manager(dataSource);
        }

        static final class Manager extends JdbcTransactionManager {

            private int begun;
            private Runnable thenOnce = () -> {};

            Manager(DataSource dataSource) {
                super(dataSource);
            }

            @Override
            protected void doBegin(Object transaction, TransactionDefinition definition) {
                super.doBegin(transaction, definition);
                begun++;
                new JdbcTemplate(obtainDataSource()).queryForList("SELECT name FROM effects");
                Runnable then = thenOnce;
                thenOnce = () -> {};
                then.run();
            }
        }
    }

    /** What the application does. */
    static class Payments {

        private final JdbcTemplate jdbc;

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(key = "#key")
        @Retryable("default")
        @Transactional(isolation = Isolation.REPEATABLE_READ)
        public String pay(String key) {
            jdbc.update("INSERT INTO effects (name) VALUES (?)", key);
            return "paid";
        }
    }
}
