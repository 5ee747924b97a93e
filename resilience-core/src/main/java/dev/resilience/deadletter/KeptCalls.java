package dev.resilience.deadletter;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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
 * <p>It knows the failure that the fallback is given, the same instance, as long as there is one: on any thread, in a
 * {@code CompletionStage} and in a {@code Mono} too. The letter has been stored by then. A call that failed in a way that is
 * not kept, or whose letter could not be stored, is not kept.
 *
 * <p>An exception that is one object for many calls, such as a constant, tells of the last of them that has ended; calls that
 * end at the same time cannot be told apart by it. Safe for use by many threads.
 */
public final class KeptCalls {

    private static final ConcurrentMap<Failure, String> LETTERS = new ConcurrentHashMap<>();
    private static final ReferenceQueue<Throwable> GONE = new ReferenceQueue<>();

    private KeptCalls() {}

    /** The id of the letter that keeps the call which failed so; empty if the call was not kept. */
    public static Optional<String> find(Throwable failure) {
        return LETTERS.isEmpty() ? Optional.empty() : Optional.ofNullable(LETTERS.get(new Failure(failure, null)));
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
     * A call has failed.
     *
     * @param letter its id; {@code null} if the call was not kept
     */
    static void put(@Nullable Throwable failure, @Nullable String letter) {
        for (Reference<?> gone = GONE.poll(); gone != null; gone = GONE.poll()) {
            LETTERS.remove(gone);
        }
        if (failure != null && letter != null) {
            LETTERS.put(new Failure(failure, GONE), letter);
        } else if (failure != null && !LETTERS.isEmpty()) {
            LETTERS.remove(new Failure(failure, null));
        }
    }

    /** The very instance, whatever its class takes for equal; kept no longer than others keep it. */
    private static final class Failure extends WeakReference<Throwable> {

        private final int hash;

        Failure(Throwable failure, @Nullable ReferenceQueue<Throwable> queue) {
            super(failure, queue);
            this.hash = System.identityHashCode(failure);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (this == other) {
                return true;
            }
            Throwable failure = get();
            return failure != null && other instanceof Failure another && another.refersTo(failure);
        }
    }
}
