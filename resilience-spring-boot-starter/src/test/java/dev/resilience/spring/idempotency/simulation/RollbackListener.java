package dev.resilience.spring.idempotency.simulation;

import dev.resilience.spring.idempotency.simulation.ManagedTransaction.Listener;
import dev.resilience.spring.idempotency.simulation.ManagedTransaction.Status;

/**
 * Hears of the rollback of a transaction in which the store does not write.
 *
 * @param undone is run then
 */
record RollbackListener(Runnable undone) implements Listener {

    @Override
    public void beforeCommit() {}

    @Override
    public void savepointRollback() {}

    @Override
    public void afterCompletion(Status status) {
        if (status == Status.ROLLED_BACK) {
            undone.run();
        }
    }
}
