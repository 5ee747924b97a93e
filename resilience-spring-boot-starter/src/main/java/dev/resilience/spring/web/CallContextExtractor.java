package dev.resilience.spring.web;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.event.Outcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads from a request that comes in what its sender knows of the call: how much time is left for it, and whether it is
 * a repetition. What is not valid is ignored, for a request must not fail because of advice that came with it; a
 * deadline that is ignored is counted. Safe for use by many threads.
 */
public final class CallContextExtractor {

    /** The header that tells how often a request was sent: 1 is the first time. */
    public static final String ATTEMPT_HEADER = "X-Attempt-Number";

    /** What became of the deadline that a request brought. */
    public enum DeadlineOutcome implements Outcome {
        /** It holds for the request. */
        ACCEPTED,
        /** It was no deadline: the request has none. */
        IGNORED
    }

    private final ResilienceProperties.Deadline settings;
    private final TimeSource time;
    private final boolean reachMethods;
    private final OutcomeCounters<DeadlineOutcome> deadlines = new OutcomeCounters<>(DeadlineOutcome.class);

    /**
     * @param settings the header's name, and how far it is believed
     * @param reachMethods whether what is read here reaches all methods that are called while the request is handled, and
     *     not only those that return a publisher
     */
    public CallContextExtractor(ResilienceProperties.Deadline settings, TimeSource time, boolean reachMethods) {
        this.settings = settings;
        this.time = time;
        this.reachMethods = reachMethods;
    }

    /** Whether the context of a call reaches all methods that are called while its request is handled. */
    boolean reachMethods() {
        return reachMethods;
    }

    /** Requests that came with a deadline, by what became of it. */
    public OutcomeCounters<DeadlineOutcome> deadlines() {
        return deadlines;
    }

    /**
     * The context of a request.
     *
     * @param headers gives all values of a header, none if it is absent
     */
    CallContext context(Function<String, List<String>> headers) {
        return new CallContext(deadline(headers.apply(settings.header())), attempt(headers.apply(ATTEMPT_HEADER)));
    }

    /** Several are none, because it is not clear which is meant. */
    private @Nullable Deadline deadline(List<String> values) {
        if (values.isEmpty()) {
            return null;
        }
        Duration left = values.size() == 1 && settings.fromRequests() ? DeadlineHeader.parse(values.get(0)) : null;
        deadlines.count(left == null ? DeadlineOutcome.IGNORED : DeadlineOutcome.ACCEPTED);
        return left == null ? null : Deadline.in(granted(left), time);
    }

    /** The time that a request gets which says that so much is left. */
    private Duration granted(Duration left) {
        return left.isZero() ? left : Durations.max(left, settings.minimum());
    }

    private static @Nullable Attempt attempt(List<String> values) {
        long number = values.stream().mapToLong(DeadlineHeader::number).max().orElse(1);
        return number < 2
                ? null
                : Attempt.of("the retry of another service", (int) Math.min(number, Integer.MAX_VALUE), null);
    }
}
