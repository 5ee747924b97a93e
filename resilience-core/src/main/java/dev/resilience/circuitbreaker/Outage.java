package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CallWindow.WindowCounts;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.log.LoggedFailure;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why a breaker is open. It goes along from state to state: through OPEN and HALF_OPEN as what is the matter, and after
 * that, without the failure itself, as what was the matter last.
 *
 * @param failedProbes how often in a row the breaker went from half-open back to open
 * @param reason what opened it last, in words: the rule, or a probing
 * @param explanation the reason with the last failure, as a part of a sentence
 * @param lastFailure the type and message of the last failure that counted, a probe's too, and those of its root cause; only
 *     the type where it is long over
 * @param failure that failure, where it is the one that opened the breaker
 */
record Outage(
        Start start,
        int failedProbes,
        String reason,
        String explanation,
        @Nullable String lastFailure,
        @Nullable Throwable failure) {

    /** What stands for the type of a failure where a result counted as one. */
    private static final String RESULT = "result";

    /**
     * How the breaker left CLOSED.
     *
     * @param rule what opened it, in words
     * @param counts what the window held
     * @param failureRate the rate in the window, NaN if there were too few calls to tell
     * @param refusedBefore how many calls the breaker had refused by then
     */
    record Start(String rule, WindowCounts counts, double failureRate, Moment at, long refusedBefore) {}

    /** One that no call has brought about. */
    static Outage of(CircuitBreaker breaker, String rule) {
        Start start = new Start(rule, WindowCounts.NONE, Double.NaN, breaker.now(), breaker.refused());
        return new Outage(start, 0, rule, rule, null, null);
    }

    /**
     * @param aboutFailures whether the rule is about failures
     * @param type of the last failure
     */
    static Outage of(Start start, boolean aboutFailures, @Nullable String type, @Nullable Throwable failure) {
        String last = aboutFailures && type != null ? ", the last" + with(type) : "";
        String lastFailure = failure == null ? type : describe(failure);
        return new Outage(start, 0, start.rule, start.rule + last, lastFailure, failure);
    }

    /** The same text for the same type; {@code failure} is {@code null} where a result counted as a failure. */
    static String typeOf(@Nullable Throwable failure) {
        return failure == null ? RESULT : failure.getClass().getName();
    }

    private static String describe(@Nullable Throwable failure) {
        return failure == null ? RESULT : LoggedFailure.of(failure).toString();
    }

    private static String with(String failureType) {
        return failureType.equals(RESULT) ? " by its result" : " with " + failureType;
    }

    Outage afterFailedProbe(@Nullable Throwable probesFailure) {
        return afterProbing("a probe failed", with(typeOf(probesFailure)), describe(probesFailure), probesFailure);
    }

    Outage afterSlowProbe(Duration slow) {
        return afterProbing("a probe took longer than " + Durations.inWords(slow), "", lastFailure, null);
    }

    private Outage afterProbing(
            String end, String detail, @Nullable String description, @Nullable Throwable probesFailure) {
        int probes = failedProbes + 1;
        String before = " (probing " + probes + "); before that: " + start.rule;
        return new Outage(start, probes, end + before, end + detail + before, description, probesFailure);
    }

    /** The explanation with the failure's message, which may be about its caller: not for callers that are refused. */
    String inFull() {
        return failure == null || lastFailure == null ? explanation : explanation.replace(typeOf(failure), lastFailure);
    }

    /** For the time after: it is no cause of refusals any more, and may be a large object. */
    Outage withoutFailure() {
        return new Outage(start, failedProbes, reason, explanation, lastFailure, null);
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

        static String halfOfKeys(long open, int keys) {
            return open + " of " + keys + " keys are open, which is half of the keys or more (half-of-keys)";
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

        static String calls(long count) {
            return count == 1 ? "1 call" : count + " calls";
        }
    }
}
