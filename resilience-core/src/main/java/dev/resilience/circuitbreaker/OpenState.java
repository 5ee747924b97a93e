package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls are refused until the open period is over; the first call after that moves the breaker to half-open. */
final class OpenState extends State {

    private static final Duration SHORTEST_HINT = Duration.ofMillis(1);

    private final Opening present;
    private final long openNanos;

    OpenState(CircuitBreaker breaker, Settings settings, Opening opening) {
        this(breaker, settings, opening, breaker.now());
    }

    /** @param since from when on the open period counts, which may be over by now */
    OpenState(CircuitBreaker breaker, Settings settings, Opening opening, Moment since) {
        super(breaker, settings, opening, since);
        this.present = opening;
        this.openNanos = openNanos(settings.policy(), opening.failedProbings());
    }

    @Override
    CircuitState name() {
        return CircuitState.OPEN;
    }

    @Override
    boolean isOpen() {
        return true;
    }

    @Override
    @Nullable
    Permit tryAdmit() {
        if (remainingNanos() <= 0) {
            breaker.move(this, new HalfOpenState(breaker, settings, present));
        }
        return null;
    }

    @Override
    State under(Settings other) {
        return new OpenState(breaker, other, present, since);
    }

    @Override
    Duration untilNextProbe() {
        return Duration.ofNanos(remainingNanos());
    }

    @Override
    CircuitOpenException refusal() {
        return refusal(Durations.max(SHORTEST_HINT, Duration.ofNanos(remainingNanos())), true);
    }

    @Override
    String explanation() {
        return "open: " + present.explanation() + "; open since " + present.at().text();
    }

    /** How long calls are refused in all, before the next one is a probe. */
    Duration openDuration() {
        return Duration.ofNanos(openNanos);
    }

    /** Each probing that failed since it opened makes the period longer. */
    private static long openNanos(CircuitBreakerPolicy policy, int failedProbings) {
        double base = (double) Durations.toNanos(policy.openDuration());
        double grown = base * Math.pow(policy.openDurationMultiplier(), failedProbings);
        double limit = Math.max(base, (double) Durations.toNanos(policy.maxOpenDuration()));
        return (long) Math.min(limit, grown);
    }

    private long remainingNanos() {
        return openNanos - (breaker.time().nanoTime() - since.nanoTime());
    }
}
