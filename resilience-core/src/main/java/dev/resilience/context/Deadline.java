package dev.resilience.context;

import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The moment by which a call, and everything that it calls, must be done, because after it the answer is not waited for any
 * more. While a deadline is current, no attempt of a protected method starts after it, and no wait begins that would
 * end after it.
 *
 * <p>A deadline is current for a thread; the library takes it along to the threads on which a protected call goes on.
 *
 * <pre>{@code
 * Deadline.in(Duration.ofSeconds(2)).call(() -> orders.place(order));
 * }</pre>
 *
 * <p>Between services a deadline travels as the time that is left, because their clocks differ (as gRPC's {@code
 * grpc-timeout} does). Immutable and safe for use by many threads.
 */
public final class Deadline {

    /**
     * Whether any deadline was ever current. Spares every call the look at its thread in applications that have none.
     * Every thread that sets a deadline sets this first, so it always sees its own write.
     */
    private static boolean used;

    private final TimeSource time;
    private final long start;
    private final long allowedNanos;

    private Deadline(Duration left, TimeSource time) {
        this.time = time;
        this.start = time.nanoTime();
        this.allowedNanos = Durations.toNanos(left);
    }

    /** The moment that is so far away from now; zero or less is now. Longer than 292 years counts as 292 years. */
    public static Deadline in(Duration left) {
        return in(left, TimeSource.system());
    }

    /**
     * As {@link #in(Duration)}.
     *
     * @param time what measures it
     */
    public static Deadline in(Duration left, TimeSource time) {
        return new Deadline(left, time);
    }

    /** The deadline of the call that the current thread works for, or {@code null} if it has none. */
    public static @Nullable Deadline current() {
        return used ? (Deadline) CallContext.ofThread()[CallContext.DEADLINE] : null;
    }

    /**
     * Makes a deadline, or none, current for this thread. For adapters, which put back what was current before in a
     * {@code finally}; others use {@link #call}.
     */
    public static void makeCurrent(@Nullable Deadline deadline) {
        if (deadline != null) {
            used = true;
        } else if (!used) {
            return; // there is none to replace
        }
        CallContext.ofThread()[CallContext.DEADLINE] = deadline;
    }

    /**
     * Refuses to begin anything after the current deadline.
     *
     * @throws DeadlineExceededException if there is one and it has passed
     */
    public static void check() {
        Deadline deadline = current();
        if (deadline != null && deadline.isOver()) {
            throw new DeadlineExceededException("No time was left before the deadline: the call was not made");
        }
    }

    /** A wait of this length, cut short where the current deadline comes sooner; zero if it has passed. */
    public static Duration limit(Duration wait) {
        Deadline deadline = current();
        return deadline == null ? wait : Durations.min(wait, deadline.left());
    }

    /**
     * Runs an action for which no deadline is current: what must be done however late it is, such as noting what was
     * done.
     */
    public static <T extends @Nullable Object> T ignoring(Supplier<T> action) {
        Deadline deadline = current();
        if (deadline == null) {
            return action.get();
        }
        makeCurrent(null);
        try {
            return action.get();
        } finally {
            makeCurrent(deadline);
        }
    }

    /** How much time is left; zero when the moment has come. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, allowedNanos - (time.nanoTime() - start)));
    }

    /**
     * How much time to grant to a callee whose answer has a way to go.
     *
     * @param margin what the way takes
     * @return what is left less the margin, never below zero
     */
    public Duration leftAfter(Duration margin) {
        return Durations.max(Duration.ZERO, left().minus(margin));
    }

    /** Whether the moment has come. */
    public boolean isOver() {
        return time.nanoTime() - start >= allowedNanos;
    }

    /** Whether a wait of this length ends before the moment comes, so that there is time for something after it. */
    public boolean allows(Duration wait) {
        return wait.compareTo(left()) < 0;
    }

    /**
     * Runs an action for which this deadline is current. Where one is current already that comes sooner, it stays so: a
     * child call never has more time than its parent.
     *
     * @return what the action returned
     * @throws Exception what the action threw
     */
    public <T extends @Nullable Object> T call(Callable<T> action) throws Exception {
        Deadline outer = current();
        boolean outerIsSooner = outer != null && outer.left().compareTo(left()) <= 0;
        makeCurrent(outerIsSooner ? outer : this);
        try {
            return action.call();
        } finally {
            makeCurrent(outer);
        }
    }

    @Override
    public String toString() {
        return "Deadline in " + left();
    }

    /**
     * How long a call may wait or run: what its policy says, and never beyond its deadline.
     *
     * @param timeout the time itself
     * @param byDeadline whether the deadline leaves less than the policy
     */
    public record Timeout(Duration timeout, boolean byDeadline) {

        /** What a policy allows, under the current deadline; zero if that has passed. */
        public static Timeout under(Duration timeoutOfPolicy) {
            Duration timeout = Deadline.limit(timeoutOfPolicy);
            return new Timeout(timeout, timeout.compareTo(timeoutOfPolicy) < 0);
        }

        @Override
        public String toString() {
            return Durations.inWords(timeout) + (byDeadline ? ", which was what its deadline left" : "");
        }
    }
}
