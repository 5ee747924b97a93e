package dev.resilience.idempotency.store;

import dev.resilience.idempotency.store.RecordSummary.State;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A record in this process. Times are those of {@link dev.resilience.time.TimeSource#nanoTime()}. */
sealed interface MemoryRecord {

    /** The objects of a record, its key and its place in a map, without their texts and the result. */
    long OBJECTS = 320;

    String fingerprint();

    /** Whether no call would notice if the record were gone. */
    boolean isOver(long now);

    State state(long now);

    /** What the record holds without its key, estimated for a 64-bit JVM; rather too much than too little. */
    long bytes();

    /** Until the lease ends or the result is forgotten; {@code null} where neither will happen. */
    @Nullable
    Duration left(long now);

    /** In progress, or abandoned. */
    record Running(String owner, long fence, String fingerprint, long leaseUntil, boolean takeOver)
            implements MemoryRecord {

        private static final long LONG_DEAD = Duration.ofHours(1).toNanos();

        /** The same claim, with another lease. */
        Running until(long leaseUntil) {
            return new Running(owner, fence, fingerprint, leaseUntil, takeOver);
        }

        static long bytesOf(String owner, String fingerprint) {
            return OBJECTS + owner.length() + fingerprint.length();
        }

        @Override
        public long bytes() {
            return bytesOf(owner, fingerprint);
        }

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

    /** Completed. */
    record Done(String owner, long fence, String fingerprint, StoredResult result, long until) implements MemoryRecord {

        @Override
        public long bytes() {
            return OBJECTS + owner.length() + fingerprint.length() + result.content().length;
        }

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
        public long bytes() {
            return OBJECTS + fingerprint.length();
        }

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
