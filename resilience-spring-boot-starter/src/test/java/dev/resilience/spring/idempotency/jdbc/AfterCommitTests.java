package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A call after the commit of a transaction that still has its connection. Whether what it writes there is kept is up to
 * the pool; in any case it is the effect and the record, or neither.
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

    @Test
    void leavesBothOrNeither() {
        TestShop.with(database, pool -> pool.setAutoCommit(commitsByItself), runner -> runner, shop -> {
            shop.transaction()
                    .executeWithoutResult(
                            status -> afterCommit(() -> shop.orders().placeWithoutTransaction("k")));

            shop.awaitCounted(effects == 1 ? IdempotencyOutcome.EXECUTED : IdempotencyOutcome.RELEASED);
            assertThat(shop.stateOutside()).isEqualTo(effects == 1 ? "C" : null);
            shop.assertEffects(effects);
        });
    }

    /** The thread may be kept from returning it for as long as the machine likes. */
    @Test
    void isCountedByWhatIsTrueHoweverLateTheConnectionIsReturned() {
        TestShop.with(
                database,
                pool -> pool.setAutoCommit(commitsByItself),
                runner -> runner.withUserConfiguration(Late.class),
                shop -> {
                    shop.transaction()
                            .executeWithoutResult(
                                    status -> afterCommit(() -> shop.orders().placeWithoutTransaction("k")));
                    shop.assertCounted();

                    shop.beans().getBean(ManualTimeSource.class).advance(Duration.ofSeconds(10));

                    shop.assertCounted(effects == 1 ? IdempotencyOutcome.EXECUTED : IdempotencyOutcome.RELEASED);
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
