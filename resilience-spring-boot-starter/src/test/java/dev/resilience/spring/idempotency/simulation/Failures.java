package dev.resilience.spring.idempotency.simulation;

import dev.resilience.fault.TransientFault;

/** What bodies throw, without stack traces, of which thousands would be made. */
final class Failures {

    private Failures() {}

    /** As an application would have it with {@code noRollbackFor} for two of its exceptions. */
    static boolean rollsBack(Throwable failure) {
        return !(failure instanceof Tolerated || failure instanceof Declined);
    }

    /** Rolls the transaction back; another attempt may succeed. */
    static final class Passing extends RuntimeException implements TransientFault {

        private static final long serialVersionUID = 1;

        Passing() {
            super("passing", null, false, false);
        }
    }

    /** Commits the transaction, which frees the key: that the effect stays is the application's wish. */
    static final class Tolerated extends RuntimeException implements TransientFault {

        private static final long serialVersionUID = 1;

        Tolerated() {
            super("tolerated", null, false, false);
        }
    }

    /** An answer like any other: it is committed with the effect, stored and replayed. */
    static final class Declined extends RuntimeException {

        private static final long serialVersionUID = 1;

        /**
         * @param message the value of the body that has thrown it
         */
        public Declined(String message) {
            super(message, null, false, false);
        }
    }
}
