package dev.resilience.context;

import org.jspecify.annotations.Nullable;

/**
 * Which attempt of a retrying call the current thread works for. Retries inside retries multiply: three times three
 * attempts are nine calls, and with one service more twenty-seven. Code that retries can see here that another retry
 * stands around it, in this process or in the one that sent the request.
 *
 * <p>Safe for use by many threads; what it says about a retry never changes.
 */
public final class Attempt {

    private final String by;
    private final int number;
    private final boolean isReplay;
    private volatile boolean hasBegun; // a replay alone

    private Attempt(String by, int number, boolean isReplay) {
        this.by = by;
        this.number = number;
        this.isReplay = isReplay;
    }

    /**
     * An attempt of a retry.
     *
     * @param by who repeats the call, in words for a log: a retry policy, or another service
     * @param number 1 for the first
     * @param outer the attempt that the retry itself is made in, if any
     */
    public static Attempt of(String by, int number, @Nullable Attempt outer) {
        return new Attempt(by, outer == null ? number : Math.max(number, outer.number), false);
    }

    /** A call that is made again when its caller has gone: no fallback answers for it, and it is not kept once more. */
    public static Attempt ofReplay() {
        return new Attempt("the replay of a dead letter", 2, true);
    }

    /**
     * The attempt that the current thread works for, the innermost, or {@code null} outside all retries. What a method of
     * an application asks to know whether it is called for the first time: {@code Attempt.current().number()}. Continuations
     * of an asynchronous result run outside it unless the context is carried to their thread.
     */
    public static @Nullable Attempt current() {
        return (Attempt) CallContext.ofThread()[CallContext.ATTEMPT];
    }

    /** Whether the thread makes a call again whose caller has gone; inside a retry of that call it is false again. */
    public boolean isReplay() {
        return isReplay;
    }

    /** Whether a replay has come as far as the retry of its call, and not been refused before. */
    public boolean hasBegun() {
        return hasBegun;
    }

    /** Notes that a replay has come as far as the retry of its call. For the retry. */
    public void begun() {
        hasBegun = true;
    }

    /** Who repeats the call, in words. */
    public String by() {
        return by;
    }

    /**
     * How often it was tried, this time included: the highest number of this retry and those around it, because a first
     * attempt inside a second one is a repetition to whom it reaches.
     */
    public int number() {
        return number;
    }

    @Override
    public String toString() {
        return "attempt " + number + " of " + by;
    }
}
