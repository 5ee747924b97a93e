package dev.resilience.spring.idempotency.jdbc;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.REPLAYED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A call after the end of a transaction that still has its connection. That is no transaction any more: whether what the
 * method writes there is kept is up to the pool, and the record is stored by itself.
 */
@ParameterizedClass
@CsvSource({"H2, true, 1", "H2, false, 0", "POSTGRESQL, true, 1", "POSTGRESQL, false, 0"})
class AfterCommitTests {

    @Parameter(0)
    Databases database;

    @Parameter(1)
    boolean commitsByItself;

    @Parameter(2)
    int effects;

    /** When the method is called. */
    private enum Moment {
        AFTER_COMMIT,
        AFTER_COMPLETION,
        AFTER_ROLLBACK
    }

    @ParameterizedTest
    @EnumSource
    void runsOnceInHoweverManyTransactions(Moment moment) {
        TestShop.with(database, pool -> pool.setAutoCommit(commitsByItself), runner -> runner, shop -> {
            List<String> answers =
                    callThreeTimes(shop, moment, () -> shop.orders().placeWithoutTransaction("k"));

            assertThat(answers).containsExactly("order 1", "order 1", "order 1");
            shop.assertCounted(EXECUTED, REPLAYED, REPLAYED);
            assertThat(shop.stateOutside()).isEqualTo("C");
            shop.assertEffects(effects);
        });
    }

    /** It takes part in the transaction that is over, as Spring has it. */
    @ParameterizedTest
    @EnumSource
    void runsOnceThoughItIsTransactional(Moment moment) {
        TestShop.with(database, pool -> pool.setAutoCommit(commitsByItself), runner -> runner, shop -> {
            List<String> answers =
                    callThreeTimes(shop, moment, () -> shop.orders().place("k"));

            assertThat(answers).containsExactly("order 1", "order 1", "order 1");
            shop.assertCounted(EXECUTED, REPLAYED, REPLAYED);
            assertThat(shop.stateOutside()).isEqualTo("C");
        });
    }

    /** One that is begun there is alive, and takes the record back with the effect. */
    @ParameterizedTest
    @EnumSource
    void leavesNothingIfATransactionOfItsOwnIsRolledBack(Moment moment) {
        TestShop.with(database, pool -> pool.setAutoCommit(commitsByItself), runner -> runner, shop -> {
            TransactionTemplate another = new TransactionTemplate(shop.transactions());
            another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

            List<String> answers = callThreeTimes(
                    shop,
                    moment,
                    () -> Objects.requireNonNull(another.execute(status -> {
                        status.setRollbackOnly();
                        return shop.orders().place("k");
                    })));

            assertThat(answers).containsExactly("order 1", "order 2", "order 3");
            assertThat(shop.stateOutside()).isNull();
            shop.assertEffects(0);
        });
    }

    private static List<String> callThreeTimes(TestShop shop, Moment moment, Supplier<String> call) {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            shop.transaction().executeWithoutResult(status -> {
                if (moment == Moment.AFTER_ROLLBACK) {
                    status.setRollbackOnly();
                }
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        if (moment == Moment.AFTER_COMMIT) {
                            answers.add(call.get());
                        }
                    }

                    @Override
                    public void afterCompletion(int how) {
                        if (moment != Moment.AFTER_COMMIT) {
                            answers.add(call.get());
                        }
                    }
                });
            });
        }
        return answers;
    }

    /** The transaction manager is the application's own, and the thread returns the connection late. */
    @Test
    void storesTheResultBeforeTheConnectionIsReturned() {
        TestShop.with(
                database,
                pool -> pool.setAutoCommit(commitsByItself),
                runner -> runner.withUserConfiguration(Late.class),
                shop -> {
                    shop.transaction()
                            .executeWithoutResult(
                                    status -> afterCommit(() -> shop.orders().placeWithoutTransaction("k")));

                    shop.assertCounted(EXECUTED);
                    assertThat(shop.stateOutside()).isEqualTo("C");
                    shop.assertEffects(effects);
                });
    }

    private static void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Late {

        @Bean
        ManualTimeSource time() {
            return new ManualTimeSource();
        }

        /** Has the record looked at before the connection is returned. */
        @Bean
        DataSourceTransactionManager transactionManager(DataSource dataSource, ManualTimeSource time) {
            return new DataSourceTransactionManager(dataSource) {
                @Override
                protected void doCleanupAfterCompletion(Object transaction) {
                    time.advance(Duration.ofSeconds(1));
                    super.doCleanupAfterCompletion(transaction);
                }
            };
        }
    }
}
