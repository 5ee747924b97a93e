package dev.resilience.spring.idempotency.simulation;

import java.util.EnumSet;
import java.util.Set;

/** What may happen in a run. A seed takes some of it; what is left out happens under no seed. */
enum ScenarioFeature {
    /** Statements and COMMITs are refused, lost or late, and so are their answers. */
    STORE_FAULTS,
    /** Machines crash, and stand still for longer than a lease. */
    MACHINE_FAULTS,
    /** Clocks on the wall jump, the database's among them, which jumps ahead only. */
    CLOCK_JUMPS,
    /** Transactions that begin at the caller and end after the call. */
    CALLERS_TRANSACTIONS,
    /** Calls in a part of their caller's transaction that can be rolled back by itself. */
    SAVEPOINTS,
    /** REPEATABLE READ and SERIALIZABLE. */
    SNAPSHOTS,
    /** A retry between the key and the transaction: several attempts for one claim. */
    ATTEMPTS,
    /** A time limit ends the call while its body goes on. */
    OUTLIVING_BODIES,
    /**
     * Such a body throws an exception that is an answer. Finds that it is not stored if its transaction has the record locked,
     * because it is a snapshot or comes after a commit in doubt: the effect is committed, and the key is released with it.
     */
    LATE_ANSWERS,
    /**
     * Calls with such bodies are counted once, as all others. Finds that an attempt which asks what has become of a commit in
     * doubt, while its call ends, takes over to release the key and to count the call, and does neither.
     */
    COUNTED_LATE_ATTEMPTS,
    /**
     * A body with a time limit sets its transaction to roll back and returns. Finds that another attempt of the call, given up
     * already, which begins late makes the engine forget that rollback: the result is stored without its effect.
     */
    LATE_ROLLBACK_ONLY,
    /** Bodies that never end within max-lease. */
    HANGING_BODIES,
    /**
     * The same in later attempts. Finds that an attempt after a commit in doubt keeps its record locked after it has asked for
     * it: the key stays taken until its transaction ends, beyond max-lease.
     */
    HANGING_RETRIES,
    /** A body sets its transaction to roll back and returns as if nothing were. */
    ROLLBACK_ONLY,
    /** Results that ask for another attempt, some of them too large to be stored. */
    UNFINISHED_RESULTS,
    /** Commits that the server refuses, as where a version has changed. */
    FAILING_COMMITS,
    /** Between two attempts more time passes than a lease has. */
    LONG_BACKOFF,
    /** The caller's snapshot is older than the claim of the call. */
    OLD_SNAPSHOTS,
    /**
     * There is other advice within an attempt's transaction, and around it, which takes its time. Finds that an attempt that a
     * time limit has given up commits an exception that is an answer and is not stored, because another attempt has ended in
     * the meantime: the key is freed although the effect is there.
     */
    SLOW_ADVICE,
    /** The method's transactions are none in which the store writes. */
    UNHEARD_TRANSACTIONS,
    /** Methods without a transaction. */
    PLAIN_METHODS,
    /** Methods that return a stage. */
    STAGES,
    /** Callers cancel what they wait for. */
    CANCELLATION;

    /** In a run without these the store does all that it is asked to. */
    static final Set<ScenarioFeature> FAULTS = EnumSet.of(STORE_FAULTS, MACHINE_FAULTS, CLOCK_JUMPS);

    /** In a run without these nothing is a reason to lose a key. */
    static final Set<ScenarioFeature> NO_TROUBLE = EnumSet.of(
            STORE_FAULTS, MACHINE_FAULTS, CLOCK_JUMPS, OUTLIVING_BODIES, HANGING_BODIES, HANGING_RETRIES, CANCELLATION);
}
