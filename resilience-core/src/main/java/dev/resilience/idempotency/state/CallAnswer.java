package dev.resilience.idempotency.state;

import dev.resilience.idempotency.state.EndedAttempts.EndedAttempt;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How a call ended. Its answer is written as bytes only if a state asks for that, once. Used by one thread. */
public final class CallAnswer {

    private final boolean isValue;
    private final @Nullable EndedAttempt by;
    private final Supplier<@Nullable StoredResult> writing;
    private boolean written;
    private @Nullable StoredResult result;

    private CallAnswer(boolean isValue, @Nullable EndedAttempt by, Supplier<@Nullable StoredResult> writing) {
        this.isValue = isValue;
        this.by = by;
        this.writing = writing;
    }

    /**
     * The call returned.
     *
     * @param by the attempt that the answer comes from; {@code null} if that is not known
     */
    public static CallAnswer returned(@Nullable EndedAttempt by, Supplier<@Nullable StoredResult> writing) {
        return new CallAnswer(true, by, writing);
    }

    /**
     * The call threw.
     *
     * @param by the attempt that the answer comes from; {@code null} if that is not known
     */
    public static CallAnswer threw(@Nullable EndedAttempt by, Supplier<@Nullable StoredResult> writing) {
        return new CallAnswer(false, by, writing);
    }

    /** Nothing to keep. */
    public static CallAnswer none() {
        return threw(null, () -> null);
    }

    /** Whether the answer comes from an attempt that is not in this transaction: its commit says nothing of the answer. */
    boolean isFromOutside(StoreTransaction transaction) {
        return by != null && !by.isIn(transaction);
    }

    /**
     * What is to be kept; {@code null} if there is nothing. A value says that its effect is there, so that it is not kept if
     * its effect was rolled back.
     *
     * @throws RuntimeException if it cannot be written
     */
    @Nullable
    StoredResult toKeep() {
        if (!written) {
            result = isValue && by != null && by.isUndone() ? null : writing.get();
            written = true;
        }
        return result;
    }
}
