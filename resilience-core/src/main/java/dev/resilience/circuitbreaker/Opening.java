package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.circuitbreaker.window.WindowCounts;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What made a breaker leave CLOSED. It goes along from state to state: through OPEN and HALF_OPEN as what is the matter,
 * and after that, without the failure itself, as what was the matter last.
 *
 * @param rule what opened it, in words
 * @param lastProbing how the last probing ended, in words; {@code null} if it has not been probed in vain
 * @param failedProbings how often in a row the breaker went from half-open back to open
 * @param aboutFailures whether the rule, or the end of the last probing, tells of failures, of which {@code lastFailure} is
 *     the last
 * @param lastFailure the type of the last failure that counted, a probe's too
 * @param failure that failure, where it is the one that opened the breaker
 * @param counts what the window held when it opened
 * @param failureRate the rate in the window when it opened, NaN if there were too few calls to tell
 * @param at when it left CLOSED
 * @param refusedBefore how many calls the breaker had refused by then
 */
record Opening(
        String rule,
        @Nullable String lastProbing,
        int failedProbings,
        boolean aboutFailures,
        @Nullable String lastFailure,
        @Nullable Throwable failure,
        WindowCounts counts,
        double failureRate,
        Moment at,
        long refusedBefore) {

    /** What stands for the type of a failure where a result counted as one. */
    private static final String RESULT = "result";

    /** One that no call has brought about. */
    static Opening of(CircuitBreaker breaker, String rule) {
        return of(breaker, rule, false, null, null, WindowCounts.NONE, Double.NaN);
    }

    static Opening of(
            CircuitBreaker breaker,
            String rule,
            boolean aboutFailures,
            @Nullable String lastFailure,
            @Nullable Throwable failure,
            WindowCounts counts,
            double failureRate) {
        return new Opening(
                rule,
                null,
                0,
                aboutFailures,
                lastFailure,
                failure,
                counts,
                failureRate,
                breaker.now(),
                breaker.refused());
    }

    /** The same text for the same type; {@code failure} is {@code null} where a result counted as a failure. */
    static String typeOf(@Nullable Throwable failure) {
        return failure == null ? RESULT : failure.getClass().getName();
    }

    Opening afterFailedProbe(@Nullable Throwable probesFailure) {
        return afterProbing("a probe failed", true, typeOf(probesFailure), probesFailure);
    }

    Opening afterSlowProbe(Duration slow) {
        return afterProbing("a probe took longer than " + Durations.inWords(slow), false, lastFailure, null);
    }

    Opening afterUndecidedProbing(Duration longest) {
        return afterProbing("probing for " + Durations.inWords(longest) + " decided nothing", false, lastFailure, null);
    }

    /** The same, after one more probing in vain. */
    private Opening afterProbing(
            String end, boolean failed, @Nullable String probesFailureType, @Nullable Throwable probesFailure) {
        return new Opening(
                rule,
                end,
                failedProbings + 1,
                failed,
                probesFailureType,
                probesFailure,
                counts,
                failureRate,
                at,
                refusedBefore);
    }

    /** For the time after: it is no cause of refusals any more, and may be a large object. */
    Opening withoutFailure() {
        return new Opening(
                rule,
                lastProbing,
                failedProbings,
                aboutFailures,
                lastFailure,
                null,
                counts,
                failureRate,
                at,
                refusedBefore);
    }

    /** What opened it last: the rule, or a probing. */
    String reason() {
        return reason("");
    }

    /** The reason with the last failure, as a part of a sentence. */
    String explanation() {
        if (lastFailure == null || !aboutFailures) {
            return reason();
        }
        String last = lastFailure.equals(RESULT) ? " by its result" : " with " + lastFailure;
        return lastProbing == null ? rule + ", the last" + last : reason(last);
    }

    private String reason(String detail) {
        return lastProbing == null
                ? rule
                : lastProbing + detail + " (probing " + failedProbings + "); before that: " + rule;
    }

    /** What opens a breaker, in words and with the numbers of the moment. */
    static final class Rule {

        static final String OPENED_BY_HAND = "opened by hand";
        static final String FORCED_OPEN_BY_HAND = "forced open by hand";
        static final String HALF_OPENED_BY_HAND = "set to half-open by hand";
        static final String INITIAL_STATE = "initial-state of the policy";

        private static final long TEN_PERCENT = 100;

        private Rule() {}

        static String consecutiveFailures(int failures) {
            return failures == 1 ? "1 call failed" : failures + " calls in a row failed";
        }

        static String failureRate(WindowCounts counts, Window window) {
            return share(counts.failures(), counts.calls(), window) + " failed";
        }

        static String slowCallRate(WindowCounts counts, CircuitBreakerPolicy policy) {
            Duration slow = policy.slowCallDuration();
            return share(counts.slowCalls(), counts.calls(), policy.window()) + " took longer than "
                    + Durations.inWords(slow == null ? Duration.ZERO : slow);
        }

        private static String share(long part, long calls, Window window) {
            String ofCalls = percent(part, calls) + " of ";
            return switch (window.type()) {
                case TIME -> ofCalls + calls(calls) + " in the last " + Durations.inWords(window.duration());
                case COUNT -> ofCalls + "the last " + calls(calls);
            };
        }

        /** Rounded down, so that no rate looks higher than it is; below ten percent to a tenth. */
        private static String percent(long part, long calls) {
            long thousandths = part * 1000 / calls;
            boolean whole = thousandths >= TEN_PERCENT || thousandths % 10 == 0;
            return thousandths / 10 + (whole ? "" : "." + thousandths % 10) + "%";
        }

        private static String calls(long count) {
            return count == 1 ? "1 call" : count + " calls";
        }
    }
}
