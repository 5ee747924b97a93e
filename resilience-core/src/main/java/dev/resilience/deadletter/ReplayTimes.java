package dev.resilience.deadletter;

import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** When letters are replayed, and how often. */
final class ReplayTimes {

    /** From when a letter is stored until an automatic replay takes it, and after a replay that a policy refused. */
    static final Duration FIRST_WAIT = Duration.ofMinutes(1);

    /** Long enough that letters which another version or application can read are mostly found by that. */
    private static final Duration UNREADABLE_WAIT = Duration.ofMinutes(10);

    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    /** Automatic replays of a letter; an operator may go on. */
    static final int MOST_REPLAYS = 10;

    /** How long a letter is a claim's unless that is renewed. */
    static final Duration LEASE = Duration.ofSeconds(30);

    /** How long a claim is renewed: a call that hangs does not hold its letter for ever. */
    static final Duration MAX_LEASE = Duration.ofMinutes(10);

    private ReplayTimes() {}

    /** How long a letter waits after so many replays, the last of which failed; {@code null} if it is given up. */
    static @Nullable Duration waitAfter(int replays) {
        if (replays >= MOST_REPLAYS) {
            return null;
        }
        return Durations.min(LONGEST_WAIT, FIRST_WAIT.multipliedBy(1L << replays));
    }

    /** Whether a letter was given up before a claim: by then it was replayed as often as letters are. */
    static boolean isGivenUp(ReplayClaim claim) {
        return claim.replays() > MOST_REPLAYS;
    }

    /** After a replay that was not made. */
    static Duration waitAfter(Throwable notMade) {
        return notMade instanceof UnreadableLetterException ? UNREADABLE_WAIT : FIRST_WAIT;
    }

    /** Whether a policy refused a call for a reason that will be over. */
    static boolean isRefusal(Throwable failure) {
        return failure instanceof CircuitOpenException
                || failure instanceof BulkheadFullException
                || failure instanceof IdempotencyInProgressException;
    }
}
