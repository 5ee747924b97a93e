package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.Idempotency;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Layer;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.retry.TransactionState;
import dev.resilience.spring.idempotency.attempt.TransactionalExecution;
import java.time.Duration;

/** An instance of the application: its machine, its pool of connections, and the real engine on top of them. */
final class SimulatedNode {

    private final Machine machine;
    private final SimulatedTime time;
    private final SimulatedPool pool;
    private final SimulatedTransactions transactions;
    private final SimulatedStore store;
    private final Idempotency idempotency;
    private final Retry retry;
    private int calls;

    SimulatedNode(World world, String name, SimulatedTransactions.Kind kind, PlantedDefect defect) {
        SimulatedDatabase database = world.database();
        Baton baton = database.baton();
        this.machine = new Machine(baton, name);
        this.time = new SimulatedTime(baton, machine);
        this.pool = new SimulatedPool(database, machine, world.weather(), baton.chooseFrom(1, 2, 10, 10));
        this.transactions = new SimulatedTransactions(baton, pool, kind);
        this.store = new SimulatedStore(database, machine, pool, defect);
        this.idempotency = new Idempotency(
                "simulated",
                world.policy(),
                store,
                Environment.of(time),
                TransactionalExecution::new,
                (of, type) -> call -> next -> next);
        Duration pause = world.betweenAttempts();
        Backoff backoff = new Backoff(Backoff.Strategy.FIXED, pause, 1, pause, Jitter.NONE, 0);
        RetryPolicy three = RetryPolicy.builder()
                .maxAttempts(3)
                .backoff(backoff)
                .retryOnResult(SimulatedOperation::asksForRetry)
                .build();
        this.retry = new Retry("simulated", three, Environment.of(time), null, TransactionState.NONE);
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
