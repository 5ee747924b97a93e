package dev.resilience.spring.idempotency.simulation;

import dev.resilience.fault.TransientFault;

/** What a driver throws; another attempt may succeed. */
final class SqlFailure extends RuntimeException implements TransientFault {

    private static final long serialVersionUID = 1;

    private final boolean mayBeAppliedLate;

    SqlFailure(String message) {
        this(message, false);
    }

    private SqlFailure(String message, boolean mayBeAppliedLate) {
        super(message, null, false, false);
        this.mayBeAppliedLate = mayBeAppliedLate;
    }

    static SqlFailure noAnswerInTime() {
        return new SqlFailure("08006: no answer in time", true);
    }

    /** Whether the server may do what it was asked for after the client has given up. */
    boolean mayBeAppliedLate() {
        return mayBeAppliedLate;
    }
}
