package dev.resilience.deadletter;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells a fallback whether the call that failed was kept as a dead letter, and so is made again later.
 *
 * <pre>{@code
 * String accepted(String orderId, Throwable failure) {
 *     return "accepted as " + KeptCalls.orThrow(failure);
 * }
 * }</pre>
 *
 * <p>It knows the failure that the fallback is given, the same instance: on any thread, in a {@code CompletionStage} and in a
 * {@code Mono} too. The letter has been stored by then. A call that failed in a way that is not kept, or whose letter could not
 * be stored, is not kept.
 *
 * <p>The failure bears a suppressed exception with the letter's id. One that takes no suppressed exceptions tells nothing, as
 * if its call were not kept. An exception that is one object for many calls, such as a constant, has the answer for the last
 * of them that has ended; calls that end at the same time cannot be told apart by it. Safe for use by many threads.
 */
public final class KeptCalls {

    private KeptCalls() {}

    /** The id of the letter that keeps the call which failed so; empty if the call was not kept. */
    public static Optional<String> find(Throwable failure) {
        Marker marker = marker(failure);
        return marker == null ? Optional.empty() : Optional.ofNullable(marker.letter);
    }

    /**
     * The id of the letter that keeps the call which failed so, or where the call was not kept the failure: then the caller
     * gets what it would have got without a fallback.
     *
     * @throws X the failure itself, the same instance and in no wrapper. The compiler takes it for unchecked: it is one that
     *     the protected method throws, and declares if it must
     */
    @SuppressWarnings("unchecked")
    public static <X extends Throwable> String orThrow(Throwable failure) throws X {
        return find(failure).orElseThrow(() -> (X) failure);
    }

    /**
     * A call has failed. Not for applications.
     *
     * @param failure which the caller gets; {@code null} if it gets a result
     * @param letter the id of its letter; {@code null} if the call was not kept
     */
    public static void note(@Nullable Throwable failure, @Nullable String letter) {
        Marker marker = failure == null ? null : marker(failure);
        if (marker != null) {
            marker.letter = letter;
        } else if (failure != null && letter != null) {
            failure.addSuppressed(new Marker(letter));
        }
    }

    private static @Nullable Marker marker(Throwable failure) {
        for (Throwable suppressed : failure.getSuppressed()) {
            if (suppressed instanceof Marker marker) {
                return marker;
            }
        }
        return null;
    }

    /** Changes where an exception is thrown again, because what is suppressed cannot be removed. */
    private static final class Marker extends Exception {

        private static final long serialVersionUID = 1;

        private volatile @Nullable String letter;

        Marker(String letter) {
            super("kept as the dead letter " + letter, null, false, false);
            this.letter = letter;
        }
    }
}
