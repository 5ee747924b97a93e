package dev.resilience.ratelimit;

import dev.resilience.event.OutcomeCounters;
import dev.resilience.event.RateLimitOutcome;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Reports;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** Reports refused calls of a rate limit to its counters, its log and its listeners, and makes the exceptions that they get. */
final class RateLimitReports extends Reports<RateLimitOutcome> {

    private static final String STOPPED = "the application ends, and calls do not wait for a permit any more";
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final LogLine REJECTED = LogLine.warn("rate_limit_rejected", "rejected");

    final LongAdder accepted = calls.counter(RateLimitOutcome.ACCEPTED);

    RateLimitReports(String name, Environment environment, OutcomeCounters<RateLimitOutcome> calls) {
        super(RateLimit.class, "Rate limit", "rate_limit_summary", name, environment, calls);
    }

    /**
     * For a call that gets no permit in time.
     *
     * @param answer of the permits
     * @param isStopped whether waits are ended because the application ends
     */
    ResilienceException refused(RateLimitPolicy policy, long answer, boolean isStopped) {
        if (answer == Permits.INTERRUPTED) {
            String interrupted = "it was interrupted while it waited for its permit";
            return refused(policy, isStopped ? STOPPED : interrupted, SECOND);
        }
        if (answer == Permits.NO_STORE) {
            return refused(policy, "its store does not answer", SECOND);
        }
        Duration wait = Duration.ofNanos(-answer);
        boolean isInTime = wait.compareTo(policy.maxWait()) <= 0;
        if (isInTime && isStopped) {
            return refused(policy, STOPPED, wait);
        }
        if (answer == Permits.LATE || isInTime) {
            count("its deadline comes before its permit");
            return new DeadlineExceededException(
                    "The deadline comes before a permit of rate limit '" + name + "': the call was not made");
        }
        int permits = policy.permits();
        String most = (permits == 1 ? "1 call in " : permits + " calls in ") + Durations.inWords(policy.period());
        String next = ", and the next permit is there in " + Durations.inWords(wait);
        return refused(policy, "the limit is " + most + next, wait);
    }

    /** @param wait after which there may be a permit */
    private ResilienceException refused(RateLimitPolicy policy, String why, Duration wait) {
        count(why);
        return new RateLimitExceededException(name, wait, policy.permits(), policy.period(), why);
    }

    private void count(String why) {
        refused(RateLimitOutcome.REJECTED, REJECTED, why, line -> line);
    }
}
