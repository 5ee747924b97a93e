package dev.resilience.simulation;

import dev.resilience.event.Events;
import dev.resilience.fault.Faults;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.pipeline.Layer;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;

/** An instance of the application: its machine, its pool of connections, and the real engine on top of them. */
final class SimulatedNode {

    private static final Backoff BACKOFF = new Backoff(
            Backoff.Strategy.FIXED, CallPlan.BETWEEN_ATTEMPTS, 1, CallPlan.BETWEEN_ATTEMPTS, Jitter.NONE, 0);

    private final Machine machine;
    private final SimulatedTime time;
    private final SimulatedPool pool;
    private final SimulatedTransactions transactions;
    private final SimulatedStore store;
    private final Idempotency idempotency;
    private final Retry retry;
    private int calls;

    SimulatedNode(
            String name,
            SimulatedDatabase database,
            Weather weather,
            IdempotencyPolicy policy,
            SimulatedTransactions.Kind kind,
            PlantedDefect defect) {
        Baton baton = database.baton();
        this.machine = new Machine(baton, name);
        this.time = new SimulatedTime(baton, machine);
        this.pool = new SimulatedPool(database, machine, weather, baton.chooseFrom(1, 2, 10, 10));
        this.transactions = new SimulatedTransactions(baton, pool, kind);
        this.store = new SimulatedStore(database, machine, pool, defect);
        this.idempotency = new Idempotency("simulated", policy, store, time, new Events());
        RetryPolicy three =
                RetryPolicy.builder().maxAttempts(3).backoff(BACKOFF).build();
        this.retry = new Retry("simulated", three, Faults.ofJdk(), time, new Events(), null, null);
    }

    Machine machine() {
        return machine;
    }

    SimulatedTime time() {
        return time;
    }

    SimulatedPool pool() {
        return pool;
    }

    SimulatedTransactions transactions() {
        return transactions;
    }

    SimulatedStore store() {
        return store;
    }

    Idempotency idempotency() {
        return idempotency;
    }

    Layer retry() {
        return retry;
    }

    void countCall() {
        calls++;
    }

    int calls() {
        return calls;
    }

    void crash() {
        machine.crash();
        pool.crash();
    }
}
