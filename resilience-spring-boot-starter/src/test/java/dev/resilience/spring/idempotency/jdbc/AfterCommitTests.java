package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.IdempotencyOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
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

    private static void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }
}
