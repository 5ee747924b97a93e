package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.Opening.Rule;
import dev.resilience.event.CircuitState;
import dev.resilience.time.Moment;
import org.jspecify.annotations.Nullable;

/** The state that follows another one when an operator or the application says so; the state itself if nothing changes. */
final class ByHand {

    private ByHand() {}

    /** The state that a policy begins in, for the first time or anew. */
    static State initial(CircuitBreaker breaker, Settings settings, Moment since) {
        return switch (settings.policy().initialState()) {
            case CLOSED -> new ClosedState(breaker, settings, null, since);
            case DISABLED -> new DisabledState(breaker, settings, null, since);
            case METRICS_ONLY -> new MetricsOnlyState(breaker, settings, null, since);
            case FORCED_OPEN -> new ForcedOpenState(breaker, settings, Opening.of(breaker, Rule.INITIAL_STATE), since);
            case OPEN -> new OpenState(breaker, settings, Opening.of(breaker, Rule.INITIAL_STATE));
            case HALF_OPEN -> throw new IllegalStateException("No policy begins half-open");
        };
    }

    static State open(State before) {
        return new OpenState(before.breaker, before.settings, Opening.of(before.breaker, Rule.OPENED_BY_HAND));
    }

    static State halfOpen(State before) {
        return new HalfOpenState(before.breaker, before.settings, reasonToProbe(before));
    }

    static State forceOpen(State before) {
        return before.name() == CircuitState.FORCED_OPEN
                ? before
                : new ForcedOpenState(
                        before.breaker,
                        before.settings,
                        Opening.of(before.breaker, Rule.FORCED_OPEN_BY_HAND),
                        before.breaker.now());
    }

    static State close(State before) {
        return new ClosedState(
                before.breaker,
                before.settings,
                ofThePast(before.opening),
                sinceUnlessNew(before, CircuitState.CLOSED));
    }

    static State disable(State before) {
        return before.name() == CircuitState.DISABLED
                ? before
                : new DisabledState(before.breaker, before.settings, ofThePast(before.opening), before.breaker.now());
    }

    /** Begins with an empty window, though it may be in this state already. */
    static State metricsOnly(State before) {
        return new MetricsOnlyState(
                before.breaker,
                before.settings,
                ofThePast(before.opening),
                sinceUnlessNew(before, CircuitState.METRICS_ONLY));
    }

    static State reset(State before) {
        CircuitState first = before.settings.policy().initialState();
        return initial(before.breaker, before.settings, sinceUnlessNew(before, first));
    }

    /** Whether there is another state now, or an open period or a probing began anew: then there is another next probe. */
    static boolean isNews(State before, State after) {
        boolean temporary = after.name() == CircuitState.OPEN || after.name() == CircuitState.HALF_OPEN;
        return temporary || before.name() != after.name();
    }

    /** A breaker that lets calls through has no reason of now to be probed, only one of the past. */
    private static Opening reasonToProbe(State before) {
        boolean open = before.name() == CircuitState.OPEN || before.name() == CircuitState.HALF_OPEN;
        return before.opening != null && open ? before.opening : Opening.of(before.breaker, Rule.HALF_OPENED_BY_HAND);
    }

    private static @Nullable Opening ofThePast(@Nullable Opening opening) {
        return opening == null ? null : opening.withoutFailure();
    }

    /** A state that is entered again has lasted since it was entered first. */
    private static Moment sinceUnlessNew(State before, CircuitState after) {
        return before.name() == after ? before.since : before.breaker.now();
    }
}
