package dev.resilience.retry;

import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Tells the counters, the log and the listeners of a retry policy what becomes of its calls. */
final class RetryReports {

    private final String name;
    private final TimeSource time;
    private final EventPublisher events;
    private final RetryCounters counters;
    private final RetryLog log;
    private final FailureStreak failures;

    RetryReports(
            String name,
            TimeSource time,
            EventPublisher events,
            RetryCounters counters,
            RetryLog log,
            FailureStreak failures) {
        this.name = name;
        this.time = time;
        this.events = events;
        this.counters = counters;
        this.log = log;
        this.failures = failures;
    }

    /**
     * How a call ended that did not succeed at once.
     *
     * @param why in words, where the outcome does not say it all
     * @param failure what its caller gets; {@code null} for a result
     */
    record End(
            RetryOutcome outcome,
            int attempts,
            int maxAttempts,
            String why,
            @Nullable Throwable failure) {}

    /** A call waits for its next attempt. */
    void scheduled(int attempt, int maxAttempts, Duration wait, @Nullable Throwable failure) {
        events.publish(() -> new RetryScheduled(time.now(), name, attempt, maxAttempts, wait, failure));
    }

    /** A call has ended, but did not succeed at once; listeners hear of it if they have heard it begin. */
    void ended(End end, RetryTime taken) {
        counters.calls().count(end.outcome);
        switch (end.outcome) {
            case SUCCESS_AFTER_RETRY -> {
                failures.succeeded();
                log.recovered(end.attempts, end.maxAttempts);
            }
            case INTERRUPTED -> log.failed(end);
            default -> {
                noteFailure(end.failure);
                log.failed(end);
            }
        }
        if (taken.isMeasured()) {
            events.publish(() -> new RetryFinished(time.now(), name, end.outcome, end.attempts, taken.elapsed()));
        }
    }

    private void noteFailure(@Nullable Throwable failure) {
        try {
            failures.failed(RetryLog.typeOf(failure), time.now());
        } catch (Throwable broken) { // a clock, which must not take the failure's place
        }
    }
}
