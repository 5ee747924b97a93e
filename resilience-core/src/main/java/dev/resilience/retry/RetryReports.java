package dev.resilience.retry;

import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Tells the counters, the log and the listeners of a retry policy what becomes of its calls. */
record RetryReports(
        String name,
        TimeSource time,
        EventPublisher events,
        RetryCounters counters,
        RetryLog log,
        FailureStreak failures) {

    /** How a call ended, and why it was not tried again, in words where the outcome does not say it all. */
    enum End {
        SUCCESS(RetryOutcome.SUCCESS, ""),
        SUCCESS_AFTER_RETRY(RetryOutcome.SUCCESS_AFTER_RETRY, ""),
        NOT_RETRYABLE(RetryOutcome.NOT_RETRYABLE, ""),
        INTERRUPTED(RetryOutcome.INTERRUPTED, ""),
        STOPPED(RetryOutcome.INTERRUPTED, "the application ends"),
        NO_ATTEMPTS_LEFT(RetryOutcome.EXHAUSTED, "no attempts are left"),
        BUDGET_EXHAUSTED(RetryOutcome.BUDGET_EXHAUSTED, "the retry budget is exhausted"),
        DEADLINE_OVER(RetryOutcome.OUT_OF_TIME, "the deadline is over"),
        HINT_TOO_LONG(RetryOutcome.OUT_OF_TIME, "the server asks to wait longer than max-retry-after"),
        AFTER_MAX_DURATION(RetryOutcome.OUT_OF_TIME, "the next one would begin after max-duration"),
        AFTER_DEADLINE(RetryOutcome.OUT_OF_TIME, "the next one would begin after the deadline");

        final RetryOutcome outcome;
        final String why;

        End(RetryOutcome outcome, String why) {
            this.outcome = outcome;
            this.why = why;
        }
    }

    /**
     * A call that has ended, and that did not succeed at once.
     *
     * @param start when it began; {@link Retry#NOT_MEASURED} where that is not known
     * @param failure what its caller gets; {@code null} for a result
     */
    record EndedCall(
            End end,
            int attempts,
            int maxAttempts,
            long start,
            @Nullable Throwable failure) {

        RetryOutcome outcome() {
            return end.outcome;
        }

        String why() {
            return end.why;
        }
    }

    /** A call waits for its next attempt. */
    void scheduled(int attempt, int maxAttempts, Duration wait, @Nullable Throwable failure) {
        events.publish(() -> new RetryScheduled(time.now(), name, attempt, maxAttempts, wait, failure));
    }

    /** Listeners hear of a call's end if they have heard it begin. */
    void ended(EndedCall call) {
        counters.calls().count(call.outcome());
        switch (call.outcome()) {
            case SUCCESS_AFTER_RETRY -> {
                failures.succeeded();
                log.recovered(call.attempts, call.maxAttempts);
            }
            case INTERRUPTED -> log.failed(call);
            default -> {
                noteFailure(call.failure);
                log.failed(call);
            }
        }
        if (call.start != Retry.NOT_MEASURED) {
            events.publish(() -> new RetryFinished(
                    time.now(), name, call.outcome(), call.attempts, Duration.ofNanos(time.nanoTime() - call.start)));
        }
    }

    private void noteFailure(@Nullable Throwable failure) {
        try {
            failures.failed(RetryLog.typeOf(failure), time.now());
        } catch (Throwable broken) { // a clock, which must not take the failure's place
        }
    }

    /**
     * The last failed call, and since when no call has succeeded. A success reads one reference, and writes only if there is
     * something to clear. Of calls that end at the same moment, any may be the last. Safe for use by many threads.
     */
    static final class FailureStreak {

        private volatile @Nullable Failure last;
        private final AtomicReference<@Nullable Instant> since = new AtomicReference<>();

        private record Failure(String type, Instant at) {}

        void failed(String type, Instant at) {
            last = new Failure(type, at);
            if (since.get() == null) {
                since.compareAndSet(null, at);
            }
        }

        void succeeded() {
            if (since.get() != null) {
                since.set(null);
            }
        }

        /** Reads the beginning first: so no streak is shown that began after the last failure shown with it. */
        RetryStatus status() {
            Instant began = since.get();
            Failure failure = last;
            return failure == null
                    ? new RetryStatus(null, null, null)
                    : new RetryStatus(failure.type(), failure.at(), began);
        }
    }
}
