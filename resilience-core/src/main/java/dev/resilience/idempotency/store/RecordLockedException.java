package dev.resilience.idempotency.store;

/**
 * A transaction that has not ended has the record locked, and the store does not wait for it. Nothing was changed; the
 * same can be asked again later.
 */
public final class RecordLockedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RecordLockedException(String message) {
        super(message);
    }
}
