package dev.resilience.idempotency;

/**
 * How a call ended, as a store keeps it.
 *
 * @param kind what the content is
 * @param content not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody, and a copy at every turn would serve nobody
public record StoredResult(Kind kind, byte[] content) {

    /** What a stored content is. */
    public enum Kind {
        /** What the method returned, as JSON. */
        VALUE,
        /** What the method threw: its class name and message. */
        EXCEPTION
    }
}
