package dev.resilience.idempotency.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The records that an operator means: those of a key, of some methods, and of one caller or of all.
 *
 * @param key the idempotency key
 * @param operations the full names of the methods
 * @param caller who called, or the {@linkplain RecordSummary#callerHash hash} of that, which can be typed; {@code null} for
 *     everybody
 */
public record RecordSelection(
        String key, Set<String> operations, @Nullable String caller) {

    public RecordSelection {
        RecordKey.check(key);
        operations = Set.copyOf(operations);
    }

    /** As {@link RecordKey#keyHash()}. */
    public String keyHash() {
        return RecordKey.hash(key);
    }

    /** As {@link RecordKey#callerHash()}; {@code null} for everybody. */
    public @Nullable String callerHash() {
        return caller == null ? null : RecordKey.hash(caller);
    }

    /** Whether a record of the key is among them. */
    public boolean includes(String operation, String callerHash) {
        String wanted = callerHash();
        return operations.contains(operation)
                && (wanted == null || wanted.equals(callerHash) || callerHash.equals(caller));
    }

    /** Without the key, which logs must not show. */
    @Override
    public String toString() {
        return "a key of " + operations;
    }
}
