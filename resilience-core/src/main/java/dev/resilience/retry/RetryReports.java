package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import dev.resilience.fault.FaultClassification;
import dev.resilience.log.LogLine;
import dev.resilience.log.LoggedFailure;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Reports;
import dev.resilience.policy.PropertyNames;
import dev.resilience.retry.RetryCall.End;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Counts, logs and publishes what becomes of the calls of a retry policy. Never arguments, keys or results, and never what may
 * not happen: a retry has a line when it begins, and a call that ends without success when it has ended. A first attempt that
 * succeeds costs one counter, which the budget reads too. Safe for use by many threads.
 */
final class RetryReports extends Reports<RetryOutcome> {

    private static final LogLine ATTEMPT = LogLine.warn("retry_attempt", "retries");
    private static final LogLine RECOVERED = LogLine.info("retry_recovered", "success_after_retry");
    private static final LogLine EXHAUSTED = LogLine.warn("retry_exhausted", "exhausted");
    private static final LogLine BUDGET_EXHAUSTED = LogLine.warn("retry_budget_exhausted", "budget_exhausted");
    private static final LogLine OUT_OF_TIME = LogLine.warn("retry_out_of_time", "out_of_time");
    private static final LogLine LOST_TRANSACTION = LogLine.warn("retry_in_lost_transaction");
    private static final LogLine NESTED = LogLine.warn("retry_nested");
    private static final LogLine UNKNOWN_FAULT = LogLine.warn("retry_unknown_fault");

    private final String properties;
    private final @Nullable RetryBudget budget;
    private final LongAdder successes = calls.counter(RetryOutcome.SUCCESS);
    private final LongAdder successesOfRepetitions = new LongAdder();
    private final LongSupplier successesForBudget = this::successesForBudget;
    private final LongAdder retries = new LongAdder();
    private volatile @Nullable Failure lastFailure;
    volatile @Nullable String firstOuter; // of the retries around calls, in words
    volatile boolean hasLostTransaction;
    private final AtomicReference<@Nullable Instant> failingSince =
            new AtomicReference<>(); // no attempt succeeded since

    /** A call that failed. Of those that end at the same moment, any may be the last. */
    private record Failure(String description, Instant at, Instant since, boolean ranOut) {}

    RetryReports(String name, Environment environment, @Nullable RetryBudget budget) {
        super(Retry.class, "Retry", "retry_summary", name, environment, new OutcomeCounters<>(RetryOutcome.class));
        this.properties = PropertyNames.of("resilience.retry", name) + ".";
        this.budget = budget;
        if (budget != null) {
            budget.addSuccesses(successesForBudget);
        }
    }

    @Override
    protected Map<String, Long> counts() {
        Map<String, Long> counts = super.counts();
        counts.put(ATTEMPT.outcome(), retries.sum());
        return counts;
    }

    private long successesForBudget() {
        return successes.sum() - successesOfRepetitions.sum();
    }

    long retries() {
        return retries.sum();
    }

    /** A streak is shown once a call has failed in it: before, its retries may still succeed. */
    RetryStatus status() {
        Instant since = failingSince.get();
        Failure last = lastFailure;
        return last == null
                ? new RetryStatus(null, null, null)
                : new RetryStatus(last.description, last.at, last.since.equals(since) ? since : null);
    }

    /** Whether the last call ran out of attempts, budget or time, and nothing has succeeded since. */
    boolean isRunningOut() {
        Failure last = lastFailure;
        return last != null && last.ranOut && last.since.equals(failingSince.get());
    }

    void succeededAtOnce(@Nullable Attempt outer) {
        endStreak();
        if (isRepetition(outer)) {
            successesOfRepetitions.increment();
        }
        successes.increment();
    }

    /** An attempt failed, or its result asks for another one. Returns when. */
    Instant attemptFailed() {
        Instant now = time.now();
        if (failingSince.get() == null) {
            failingSince.compareAndSet(null, now);
        }
        return now;
    }

    /** The first attempt of a call failed, or its result asks for another one. */
    void firstAttemptFailed(@Nullable Attempt outer) {
        if (budget != null && !isRepetition(outer)) {
            budget.firstAttemptEnded();
        }
    }

    /** Such a call pays for no retries: only the outer retry wanted it. */
    private static boolean isRepetition(@Nullable Attempt outer) {
        return outer != null && outer.number() > 1;
    }

    /** A call waits for its next attempt. */
    void scheduled(int attempt, int maxAttempts, Duration wait, @Nullable Throwable failure) {
        publish(() -> new RetryScheduled(time.now(), name, attempt, maxAttempts, wait, failure));
    }

    /**
     * How far a call has come.
     *
     * @param number of the last attempt
     * @param failure what that threw; {@code null} for a result
     * @param failedAt when; {@code null} if no attempt was made
     */
    record LastAttempt(
            int number,
            int max,
            @Nullable Throwable failure,
            @Nullable Instant failedAt) {

        LoggingEventBuilder addTo(LoggingEventBuilder line) {
            return line.addKeyValue("attempt", number).addKeyValue("maxAttempts", max);
        }

        @Override
        public String toString() {
            return "attempt " + number + " of " + max;
        }
    }

    /**
     * A retry begins.
     *
     * @param waited the wait that is over
     */
    void retrying(LastAttempt last, Duration waited) {
        retries.increment();
        log.write(ATTEMPT, last.failure, last.failedAt, (line, failed) -> {
            long delayMs = waited.toMillis();
            String what = last + " failed and is repeated after " + delayMs + " ms";
            last.addTo(line).addKeyValue("delayMs", delayMs).log("Retry '{}': {}: {}", name, what, failed);
        });
    }

    /**
     * A call has ended that did not succeed at once. Listeners get its end if they got its beginning.
     *
     * @param start when it began; {@link Retry#NOT_MEASURED} where that is not known
     */
    void ended(End end, LastAttempt last, long start) {
        calls.count(end.outcome);
        if (end.outcome == RetryOutcome.SUCCESS_AFTER_RETRY) {
            endStreak();
        } else if (end.outcome != RetryOutcome.INTERRUPTED) {
            Instant now = attemptFailed(); // unless a success has come between
            Instant since = failingSince.get();
            LoggedFailure failed = LoggedFailure.of(last.failure);
            lastFailure = new Failure(
                    last.failure == null ? failed.type() : failed.toString(),
                    now,
                    since == null ? now : since,
                    end.outcome != RetryOutcome.NOT_RETRYABLE);
        }
        switch (end.outcome) {
            case SUCCESS_AFTER_RETRY ->
                log.write(RECOVERED, line -> last.addTo(line).log("Retry '{}': {} succeeded", name, last));
            case EXHAUSTED -> gaveUp(EXHAUSTED, end, last);
            case BUDGET_EXHAUSTED -> gaveUp(BUDGET_EXHAUSTED, end, last);
            case OUT_OF_TIME -> gaveUp(OUT_OF_TIME, end, last);
            case SUCCESS, NOT_RETRYABLE, INTERRUPTED -> {} // the caller has the whole story
        }
        if (start != Retry.NOT_MEASURED) {
            publish(() -> new RetryFinished(
                    time.now(), name, end.outcome, last.number, Duration.ofNanos(time.nanoTime() - start)));
        }
    }

    private void gaveUp(LogLine event, End end, LastAttempt last) {
        log.write(event, last.failure, last.failedAt, (line, failed) -> {
            String what = last + " failed and is not repeated, because " + end.why;
            last.addTo(line).addKeyValue("reason", end.why).log("Retry '{}': {}: {}", name, what, failed);
        });
    }

    private void endStreak() {
        if (failingSince.get() != null) {
            failingSince.set(null);
        }
    }

    /** Reported once for every pair. */
    void nested(String outer) {
        if (firstOuter == null) {
            firstOuter = outer;
        }
        log.once(outer, NESTED, line -> {
            String cure = "To leave retrying to the outer one, set " + properties + "nested to suppress. Logged once.";
            line.addKeyValue("outer", outer)
                    .log("Retry '{}' works inside {}, so the attempts of both multiply. {}", name, outer, cure);
        });
    }

    /** Reported once. */
    void transactionLost(String why) {
        hasLostTransaction = true;
        log.once("transaction", LOST_TRANSACTION, line -> {
            String text =
                    "a failed attempt is not repeated, because it was made in a transaction that was open before it, "
                            + "and which can only be rolled back: " + why
                            + ". To retry, protect the method that begins the "
                            + "transaction, or let the retried method begin its own (Propagation.REQUIRES_NEW). Logged once.";
            line.addKeyValue("reason", why).log("Retry '{}': {}", name, text);
        });
    }

    /** Reported once for each type and the type at the bottom of it, because wrappers look alike. */
    void unknown(Throwable failure) {
        String type = failure.getClass().getName();
        String root = FaultClassification.rootCause(failure).getClass().getName();
        boolean isRoot = type.equals(root);
        String both = isRoot ? type : type + ", caused by " + root + ",";
        log.once(both, UNKNOWN_FAULT, line -> {
            String text = "is not retried, because nothing tells whether it is transient. To retry it, add "
                    + (isRoot ? "it" : root) + " to " + properties + "retry-on; to retry all unknown failures, set "
                    + properties + "retry-unknown to true; to silence this line, add it to " + properties
                    + "do-not-retry-on";
            line.addKeyValue("errorType", type).log("Retry '{}': {} {}", name, both, text);
        });
    }

    /** Writes what is folded, and lets the budget keep the calls until now. */
    @Override
    public void close() {
        super.close();
        if (budget != null) {
            budget.removeSuccesses(successesForBudget);
        }
    }
}
