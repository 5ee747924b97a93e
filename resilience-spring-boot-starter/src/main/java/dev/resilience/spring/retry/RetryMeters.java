package dev.resilience.spring.retry;

import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.retry.Retry;
import dev.resilience.spring.deadletter.DeadLetters;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;

/** The meters of a retry and of its dead letters. */
final class RetryMeters {

    private static final MeterFamily CALLS =
            new MeterFamily("resilience.retry.calls", "calls", "Calls of retried methods by how they ended");
    private static final MeterFamily ATTEMPTS =
            new MeterFamily("resilience.retry.attempts", "attempts", "Retries made; first attempts are not counted");
    private static final MeterFamily DURATION = new MeterFamily(
            "resilience.retry.duration", null, "Duration of whole calls that needed at least one retry");
    private static final MeterFamily WORKERS = new MeterFamily(
            "resilience.retry.workers", "workers", "Threads that run later attempts of asynchronous calls");
    private static final MeterFamily QUEUED = new MeterFamily(
            "resilience.retry.queued", null, "Asynchronous calls whose wait is over, and which now wait for a thread");
    private static final MeterFamily DEAD_LETTERS = new MeterFamily(
            "resilience.deadletter.size",
            null,
            "Calls that ran out of retries and are kept for a replay, of all processes");
    private static final MeterFamily DEAD_LETTER_CALLS = new MeterFamily(
            "resilience.deadletter.calls",
            "calls",
            "Calls that ran out of retries, and their replays, by how they ended");

    private RetryMeters() {}

    static void register(Retry retry, Meters meters) {
        meters.outcomes(CALLS, retry.calls());
        meters.counter(ATTEMPTS, retry, Retry::attempts);
        meters.gauge(WORKERS, retry, Retry::workers);
        meters.gauge(QUEUED, retry, Retry::queued);
        if (retry instanceof KeepingRetry keeping) {
            meters.gauge(DEAD_LETTERS, keeping.letters(), DeadLetters::size);
            meters.outcomes(DEAD_LETTER_CALLS, keeping.letters().calls());
        }
        for (RetryOutcome outcome : RetryOutcome.values()) {
            if (outcome != RetryOutcome.SUCCESS) {
                meters.timer(
                        DURATION,
                        RetryFinished.class,
                        call -> call.outcome() == outcome && call.attempts() > 1 ? call.duration() : null,
                        "outcome",
                        outcome.label());
            }
        }
    }
}
