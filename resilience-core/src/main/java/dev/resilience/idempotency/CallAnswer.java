package dev.resilience.idempotency;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How a call ended. Its answer is written as bytes only if a state asks for that, once. Used by one thread. */
final class CallAnswer {

    private final boolean isValue;
    private final Supplier<@Nullable StoredResult> writing;
    private boolean written;
    private @Nullable StoredResult result;

    private CallAnswer(boolean isValue, Supplier<@Nullable StoredResult> writing) {
        this.isValue = isValue;
        this.writing = writing;
    }

    /** The call returned. */
    static CallAnswer returned(Supplier<@Nullable StoredResult> writing) {
        return new CallAnswer(true, writing);
    }

    /** The call threw. */
    static CallAnswer threw(Supplier<@Nullable StoredResult> writing) {
        return new CallAnswer(false, writing);
    }

    /** Nothing to keep. */
    static CallAnswer none() {
        return threw(() -> null);
    }

    /** Whether the call returned, which says that its effect is there. */
    boolean isValue() {
        return isValue;
    }

    /**
     * What is to be kept; {@code null} if there is nothing.
     *
     * @throws RuntimeException if it cannot be written
     */
    @Nullable
    StoredResult toKeep() {
        if (!written) {
            result = writing.get();
            written = true;
        }
        return result;
    }
}
