package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.time.Moment;
import org.jspecify.annotations.Nullable;

/** Calls are refused until an operator says otherwise. */
final class ForcedOpenState extends State {

    private final Opening present;

    ForcedOpenState(CircuitBreaker breaker, Settings settings, Opening opening, Moment since) {
        super(breaker, settings, opening, since);
        this.present = opening;
    }

    @Override
    CircuitState name() {
        return CircuitState.FORCED_OPEN;
    }

    @Override
    boolean isOpen() {
        return true;
    }

    @Override
    @Nullable
    Permit tryAdmit() {
        return null;
    }

    @Override
    State under(Settings other) {
        return new ForcedOpenState(breaker, other, present, since);
    }

    /** It is not known when to come back; an open period is as good a time as any. */
    @Override
    CircuitOpenException refusal() {
        return refusal(settings.policy().openDuration(), false);
    }

    @Override
    String explanation() {
        return "forced open since " + since.text() + ", until it is told otherwise";
    }
}
