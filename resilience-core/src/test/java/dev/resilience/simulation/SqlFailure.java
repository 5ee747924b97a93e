package dev.resilience.simulation;

import dev.resilience.fault.TransientFault;

/** What a driver throws; another attempt may succeed. */
final class SqlFailure extends RuntimeException implements TransientFault {

    private static final long serialVersionUID = 1;

    SqlFailure(String message) {
        super(message, null, false, false);
    }
}
