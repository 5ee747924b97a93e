package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyOutcome;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A commit of which the answer is lost on its way. What became of it is found out, with a pool of one connection too. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class LostCommitTests {

    private final Databases database;

    LostCommitTests(Databases database) {
        this.database = database;
    }

    private void with(TestShop.Use use) {
        TestShop.with(
                database,
                TestShop.pool(1, Duration.ofSeconds(5)),
                runner -> runner.withUserConfiguration(Losing.class)
                        .withPropertyValues(
                                "resilience.retry.default.retry-on=" + TransactionSystemException.class.getName()),
                use);
    }

    @Test
    void theNextAttemptReturnsTheFirstOnesResult() {
        with(shop -> {
            loseNext(shop);

            assertThat(shop.orders().placeWithRetry("k")).isEqualTo("order 1");

            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
        });
    }

    @Test
    void theCallFailsAndTheNextOneReturnsItsResult() {
        with(shop -> {
            loseNext(shop);

            assertThatThrownBy(() -> shop.orders().place("k")).isInstanceOf(TransactionSystemException.class);

            assertThat(shop.orders().place("k")).isEqualTo("order 1");
            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED, IdempotencyOutcome.REPLAYED);
        });
    }

    /** The pool of one would be too small for the claim. */
    @Test
    void theCallersTransactionFailsAndTheNextCallReturnsItsResult() {
        TestShop.with(database, pool -> {}, runner -> runner.withUserConfiguration(Losing.class), shop -> {
            loseNext(shop);

            assertThatThrownBy(() ->
                            shop.transaction().execute(status -> shop.orders().place("k")))
                    .isInstanceOf(TransactionSystemException.class);

            shop.awaitCounted(IdempotencyOutcome.EXECUTED);
            assertThat(shop.orders().place("k")).isEqualTo("order 1");
            shop.assertEffects(1);
        });
    }

    private static void loseNext(TestShop shop) {
        ((Losing.Manager) shop.transactions()).losesNext = true;
    }

    @Configuration(proxyBeanMethods = false)
    static class Losing {

        @Bean
        Manager transactionManager(DataSource dataSource) {
            return new Manager(dataSource);
        }

        static final class Manager extends DataSourceTransactionManager {

            private boolean losesNext;

            Manager(DataSource dataSource) {
                super(dataSource);
            }

            @Override
            protected void doCommit(DefaultTransactionStatus status) {
                super.doCommit(status);
                if (losesNext) {
                    losesNext = false;
                    throw new TransactionSystemException("the answer is lost");
                }
            }
        }
    }
}
