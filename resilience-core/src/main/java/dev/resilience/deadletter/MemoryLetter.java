package dev.resilience.deadletter;

import dev.resilience.deadletter.StoredLetter.State;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A letter in this process.
 *
 * @param due when its wait or its lease ends, by {@link dev.resilience.time.TimeSource#nanoTime()}
 */
record MemoryLetter(
        DeadLetter letter,
        Instant storedAt,
        boolean replaying,
        boolean givenUp,
        int replays,
        @Nullable LetterFailure replayFailure,
        long fence,
        long due) {

    /** The objects of a letter and its place in a map, without texts and arguments. */
    private static final long OBJECTS = 400;

    static MemoryLetter waiting(DeadLetter letter, Instant storedAt, long due) {
        return new MemoryLetter(letter, storedAt, false, false, 0, null, 0, due);
    }

    /** If the last replay was abandoned, the one before it is forgotten. */
    MemoryLetter claimed(long leaseUntil) {
        LetterFailure ofLast = replaying ? null : replayFailure;
        return new MemoryLetter(letter, storedAt, true, givenUp, replays + 1, ofLast, fence + 1, leaseUntil);
    }

    MemoryLetter renewed(long leaseUntil) {
        return new MemoryLetter(letter, storedAt, true, givenUp, replays, replayFailure, fence, leaseUntil);
    }

    /** Of the failure only the class is kept, whose name the process has anyway. */
    MemoryLetter withoutMessage() {
        LetterFailure brief = replayFailure == null ? null : new LetterFailure(replayFailure.type(), "");
        return new MemoryLetter(letter, storedAt, replaying, givenUp, replays, brief, fence, due);
    }

    MemoryLetter failed(LetterFailure failure, boolean isGivenUp, long dueAgain) {
        return new MemoryLetter(letter, storedAt, false, isGivenUp, replays, failure, fence, dueAgain);
    }

    MemoryLetter postponed(long dueAgain) {
        return new MemoryLetter(letter, storedAt, false, givenUp, replays - 1, replayFailure, fence, dueAgain);
    }

    boolean isHeldBy(ReplayClaim claim) {
        return replaying && fence == claim.fence();
    }

    boolean isReplaying(long now) {
        return replaying && due - now > 0;
    }

    boolean isDue(long now) {
        return !givenUp && due - now <= 0;
    }

    /** What it holds, estimated for a 64-bit JVM; rather too much than too little. */
    long bytes() {
        long texts = 2L
                * (letter.id().length()
                        + letter.bean().length()
                        + letter.operation().length());
        return OBJECTS + texts + letter.arguments().length + bytes(letter.failure()) + bytes(replayFailure);
    }

    private static long bytes(@Nullable LetterFailure failure) {
        return failure == null
                ? 0
                : 2L * (failure.type().length() + failure.message().length());
    }

    StoredLetter stored(Instant wallTime, long now) {
        boolean isDueOnce = !givenUp || isReplaying(now);
        Instant dueAt = isDueOnce ? wallTime.plus(Duration.ofNanos(due - now)) : null;
        State state = state(now);
        LetterFailure ofLast = state == State.ABANDONED ? null : replayFailure;
        return new StoredLetter(letter, storedAt, state, replays, ofLast, dueAt);
    }

    private State state(long now) {
        if (replaying) {
            return isReplaying(now) ? State.REPLAYING : State.ABANDONED;
        }
        if (replays == 0) {
            return State.WAITING;
        }
        if (replayFailure == null) {
            return State.ABANDONED; // and refused since
        }
        return givenUp ? State.GIVEN_UP : State.FAILED;
    }
}
