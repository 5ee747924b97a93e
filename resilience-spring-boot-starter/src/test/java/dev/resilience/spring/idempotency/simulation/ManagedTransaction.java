package dev.resilience.spring.idempotency.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transaction that a {@link SimulatedTransactions} has bound to a task, with those who want to hear of its end. */
final class ManagedTransaction {

    private final SimulatedConnection connection;
    private final Isolation isolation;
    private final SimulatedTransactions.Kind kind;
    private final List<Listener> listeners = new ArrayList<>();
    private boolean rollbackOnly;
    private boolean doomed;
    private boolean completing;
    private boolean failsAtCommit;

    ManagedTransaction(SimulatedConnection connection, Isolation isolation, SimulatedTransactions.Kind kind) {
        this.connection = connection;
        this.isolation = isolation;
        this.kind = kind;
    }

    /** Spring's TransactionSynchronization. */
    interface Listener {

        void beforeCommit();

        void savepointRollback();

        void afterCompletion(Status status);
    }

    /** What Spring tells of the end, which need not be true. */
    enum Status {
        COMMITTED,
        ROLLED_BACK,
        UNKNOWN
    }

    static @Nullable ManagedTransaction of(SimulatedTask task) {
        return (ManagedTransaction) task.transaction();
    }

    SimulatedConnection connection() {
        return connection;
    }

    Isolation isolation() {
        return isolation;
    }

    SimulatedTransactions.Kind kind() {
        return kind;
    }

    void add(Listener listener) {
        listeners.add(listener);
    }

    /** Those of now: one that is added meanwhile is not told of what is under way. */
    List<Listener> listeners() {
        return List.copyOf(listeners);
    }

    /** By its owner's own wish: it ends without a word. */
    void setRollbackOnly() {
        rollbackOnly = true;
    }

    boolean isRollbackOnly() {
        return rollbackOnly;
    }

    /** By one who takes part in it: its owner gets to know when it commits. */
    void doom() {
        doomed = true;
    }

    boolean isDoomed() {
        return doomed;
    }

    /** The server will not commit it, or the part of it that is under way. */
    void failAtCommit(boolean fails) {
        failsAtCommit = fails;
    }

    boolean failsAtCommit() {
        return failsAtCommit;
    }

    /** Its listeners are told of its end; it still has its connection. */
    boolean isCompleting() {
        return completing;
    }

    void completes() {
        completing = true;
    }
}
