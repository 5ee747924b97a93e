package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.window.WindowCounts;
import dev.resilience.time.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What made a breaker leave CLOSED. It goes along from state to state: through OPEN and HALF_OPEN as what is the matter,
 * and after that, without the failure itself, as what was the matter last.
 *
 * @param rule what opened it, in words
 * @param aboutFailures whether the rule tells of failures, of which {@code lastFailure} is the last
 * @param failedProbings how often in a row the breaker went from half-open back to open
 * @param lastFailure the type of the last failure that counted, a probe's too
 * @param failure that failure, where it is the one that opened the breaker
 * @param counts what the window held when it opened
 * @param failureRate the rate in the window when it opened, NaN if there were too few calls to tell
 * @param at when it left CLOSED
 * @param refusedBefore how many calls the breaker had refused by then
 */
record Opening(
        String rule,
        boolean aboutFailures,
        int failedProbings,
        @Nullable String lastFailure,
        @Nullable Throwable failure,
        WindowCounts counts,
        double failureRate,
        Moment at,
        long refusedBefore) {

    /** One that no call has brought about. */
    static Opening of(CircuitBreaker breaker, String rule) {
        return of(breaker, rule, false, null, null, WindowCounts.NONE, Double.NaN);
    }

    static Opening of(
            CircuitBreaker breaker,
            String rule,
            boolean aboutFailures,
            @Nullable Class<?> lastFailure,
            @Nullable Throwable failure,
            WindowCounts counts,
            double failureRate) {
        return new Opening(
                rule,
                aboutFailures,
                0,
                lastFailure == null ? null : lastFailure.getName(),
                failure,
                counts,
                failureRate,
                breaker.now(),
                breaker.refused());
    }

    /** The same, after one more probing in vain. */
    Opening afterFailedProbe(Throwable probesFailure) {
        return new Opening(
                rule,
                aboutFailures,
                failedProbings + 1,
                probesFailure.getClass().getName(),
                probesFailure,
                counts,
                failureRate,
                at,
                refusedBefore);
    }

    /** For the time after: it is no cause of refusals any more, and may be a large object. */
    Opening withoutFailure() {
        return new Opening(
                rule, aboutFailures, failedProbings, lastFailure, null, counts, failureRate, at, refusedBefore);
    }

    /** What opened it last: the rule, or a probe. */
    String reason() {
        return failedProbings == 0 ? rule : "a probe failed (probing " + failedProbings + "); before that: " + rule;
    }

    /** The reason with the last failure, as a part of a sentence. */
    String explanation() {
        if (lastFailure == null) {
            return reason();
        }
        if (failedProbings > 0) {
            return "a probe failed with " + lastFailure + " (probing " + failedProbings + "); before that: " + rule;
        }
        return aboutFailures ? rule + ", the last with " + lastFailure : rule;
    }
}
