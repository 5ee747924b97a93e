package dev.resilience.idempotency.store;

/**
 * How a call ended, as a store keeps it.
 *
 * @param kind what the content is
 * @param content not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and never changed, so that copies would serve nothing
public record StoredResult(Kind kind, byte[] content) {

    /** What a stored content is. */
    public enum Kind {
        /** What the method returned, as JSON. */
        VALUE,
        /** What the method threw: its class name and message. */
        EXCEPTION
    }
}
