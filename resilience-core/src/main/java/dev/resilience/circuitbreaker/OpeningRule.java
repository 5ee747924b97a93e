package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.circuitbreaker.window.WindowCounts;
import dev.resilience.time.Durations;
import java.time.Duration;

/** What opens a breaker, in words and with the numbers of the moment. */
final class OpeningRule {

    static final String OPENED_BY_HAND = "opened by hand";
    static final String FORCED_OPEN_BY_HAND = "forced open by hand";
    static final String HALF_OPENED_BY_HAND = "set to half-open by hand";
    static final String INITIAL_STATE = "initial-state of the policy";

    private static final long TEN_PERCENT = 100;

    private OpeningRule() {}

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
