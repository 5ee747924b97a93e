package dev.resilience.event;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an event is for the call that it happened to, for those who show calls. Not for applications.
 *
 * @param sort {@code wait}, {@code refusal} or {@code transition}
 * @param detail in words of which there are few: no times and no counts
 * @param length of a wait; zero for the others
 */
public record Occurrence(String sort, String detail, Duration length) {

    private static final Set<IdempotencyOutcome> REFUSALS = EnumSet.of(
            IdempotencyOutcome.IN_PROGRESS, IdempotencyOutcome.KEY_REUSED, IdempotencyOutcome.OUTCOME_UNKNOWN);

    /** {@code null} for an event that is none of these. */
    public static @Nullable Occurrence of(ResilienceEvent event) {
        if (event instanceof RetryScheduled retry) {
            String why = retry.failure() == null
                    ? ""
                    : " after " + retry.failure().getClass().getName();
            return new Occurrence("wait", "wait for attempt " + (retry.attempt() + 1) + why, retry.delay());
        } else if (event instanceof CallQueued queued) {
            return new Occurrence("wait", "waited, " + queued.outcome().label(), queued.waited());
        } else if (event instanceof CallRejected rejected) {
            return new Occurrence("refusal", rejected.reason(), Duration.ZERO);
        } else if (event instanceof CallTimedOut) {
            return new Occurrence("refusal", TimeLimitOutcome.TIMED_OUT.label(), Duration.ZERO);
        } else if (event instanceof CircuitStateChanged change) {
            String states = change.from().label() + " to " + change.to().label();
            return new Occurrence("transition", states, Duration.ZERO);
        } else if (event instanceof IdempotencyDecided decided && REFUSALS.contains(decided.outcome())) {
            return new Occurrence("refusal", decided.outcome().label(), Duration.ZERO);
        }
        return null;
    }
}
