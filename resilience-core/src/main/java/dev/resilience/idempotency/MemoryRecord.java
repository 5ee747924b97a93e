package dev.resilience.idempotency;

import dev.resilience.idempotency.RecordSummary.State;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A record in this process. Times are those of {@link dev.resilience.time.TimeSource#nanoTime()}. */
sealed interface MemoryRecord {

    String fingerprint();

    /** Whether nothing would change for anybody if the record were gone. */
    boolean isOver(long now);

    State state(long now);

    /** Until the lease ends or the result is forgotten; {@code null} where neither will happen. */
    @Nullable
    Duration left(long now);

    /** In progress, or abandoned. */
    record Running(String owner, String fingerprint, long leaseUntil, boolean takeOver) implements MemoryRecord {

        private static final long LONG_DEAD = Duration.ofHours(1).toNanos();

        /** An abandoned record that may be taken over is as good as none, once its owner will hardly come back. */
        @Override
        public boolean isOver(long now) {
            return takeOver && leaseUntil + LONG_DEAD - now <= 0;
        }

        @Override
        public State state(long now) {
            return leaseUntil - now > 0 ? State.IN_PROGRESS : State.ABANDONED;
        }

        @Override
        public @Nullable Duration left(long now) {
            return leaseUntil - now > 0 ? Duration.ofNanos(leaseUntil - now) : null;
        }
    }

    /**
     * Completed.
     *
     * @param number grows with every result
     */
    record Done(long number, String fingerprint, StoredResult result, long until) implements MemoryRecord {

        @Override
        public boolean isOver(long now) {
            return until - now <= 0;
        }

        @Override
        public State state(long now) {
            return State.COMPLETED;
        }

        @Override
        public Duration left(long now) {
            return Duration.ofNanos(until - now);
        }
    }

    /** Executed by the word of an operator. */
    record Executed(String fingerprint) implements MemoryRecord {

        @Override
        public boolean isOver(long now) {
            return false;
        }

        @Override
        public State state(long now) {
            return State.EXECUTED;
        }

        @Override
        public @Nullable Duration left(long now) {
            return null;
        }
    }
}
