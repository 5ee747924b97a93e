package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CallWindow.WindowCounts;
import dev.resilience.circuitbreaker.ClosedState.Ramp;
import dev.resilience.circuitbreaker.State.OpenState;
import dev.resilience.event.CircuitState;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a circuit breaker shows of itself at one moment, for people to read. Everything about the state is of one and the
 * same stay in it.
 *
 * @param state the state it is in; an open period that is over stays OPEN until the next call
 * @param since when this state began, by the wall clock
 * @param reason what opened it last, in words; {@code null} if it never did, or was reset since
 * @param lastFailure the type and message of the last failure that counted when it opened last, and those of its root
 *     cause; {@code result} where that was a result and no exception; {@code null} if it is not known
 * @param openedAt when it last left CLOSED; a probing that fails does not change it
 * @param nextProbe from when on the next call is a probe: what remains of the open period, added to the wall clock's time at
 *     this moment; {@code null} unless it is OPEN
 * @param probeDue whether the next call is a probe; if so, {@code nextProbe} is not after this moment
 * @param failedProbes how many probings have failed since it opened; 0 where it is not open
 * @param refused calls that were refused since it opened, those included that its ramp refuses; 0 where all
 *     calls are let in
 * @param probing how the probing is going; {@code null} unless it is HALF_OPEN
 * @param ramp how the load is coming back; {@code null} unless it is CLOSED and lets a part of the calls in
 * @param failureRate the share of failures in the window, or in the one that opened it; NaN if that holds no call
 * @param windowCalls how many calls this is the share of
 */
public record CircuitBreakerStatus(
        CircuitState state,
        Instant since,
        @Nullable String reason,
        @Nullable String lastFailure,
        @Nullable Instant openedAt,
        @Nullable Instant nextProbe,
        boolean probeDue,
        int failedProbes,
        long refused,
        @Nullable Probing probing,
        @Nullable RampUp ramp,
        double failureRate,
        long windowCalls) {

    /**
     * How a probing is going.
     *
     * @param inFlight probes under way that are not late
     * @param maxConcurrent how many may be
     * @param succeeded probes that have succeeded
     * @param successThreshold how many have to
     */
    public record Probing(int inFlight, int maxConcurrent, int succeeded, int successThreshold) {}

    /**
     * How the load is coming back after a probing.
     *
     * @param share the share of calls that is let in now, 0.1 to 1
     * @param until from when on all are, by the wall clock's time at this moment
     */
    public record RampUp(double share, Instant until) {}

    static CircuitBreakerStatus of(State state, long refusedSoFar) {
        Outage outage = state.outage;
        Ramp ramp = state instanceof ClosedState closed ? closed.ramp() : null;
        boolean open = outage != null && state.isOpen();
        boolean refuses = open || ramp != null;
        Duration untilProbe = state instanceof OpenState waiting ? waiting.untilNextProbe() : null;
        WindowCounts window = state.windowCounts();
        return new CircuitBreakerStatus(
                state.name,
                state.since.wallTime(),
                outage == null ? null : outage.reason(),
                outage == null ? null : outage.lastFailure(),
                outage == null ? null : outage.start().at().wallTime(),
                untilProbe == null ? null : state.wallTimeIn(untilProbe),
                untilProbe != null && (untilProbe.isZero() || untilProbe.isNegative()),
                outage != null && open ? outage.failedProbes() : 0,
                outage != null && refuses ? refusedSoFar - outage.start().refusedBefore() : 0,
                state instanceof HalfOpenState halfOpen ? halfOpen.probing() : null,
                ramp == null ? null : new RampUp(ramp.share(), state.wallTimeIn(ramp.left())),
                window.failureRate(),
                window.calls());
    }
}
