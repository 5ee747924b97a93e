package dev.resilience.exception;

import dev.resilience.fault.FaultClassification.ForeignCause;
import dev.resilience.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker refused the call without trying it. The message says why the breaker is open, since when, and when
 * the next probe is due. A breaker that has closed a short while ago refuses a part of the calls during its ramp; the
 * message then says from when on it lets all in, and why it was open.
 *
 * <p>The cause is the failure that opened the breaker, where there is one: an exception of an earlier call, the same
 * instance for all refusals, to be read only. A breaker that has closed does not keep it, so a refusal during the ramp has
 * no cause. It is left out when the refusal is serialized.
 */
public final class CircuitOpenException extends ResilienceException implements ForeignCause {

    private static final long serialVersionUID = 1;

    private final String name;
    private final Duration retryAfter;
    private final boolean probeFollows;
    private final transient @Nullable Throwable openedBy;

    public CircuitOpenException(String name, Duration retryAfter) {
        this(name, retryAfter, plain(name), false, null);
    }

    /**
     * For circuit breakers, which refuse many calls for one reason.
     *
     * @param explanation the message, but for the time until the next probe
     * @param probeFollows whether the next call after {@code retryAfter} is a probe; the message then says so
     * @param openedBy the failure that opened the breaker
     */
    public CircuitOpenException(
            String name, Duration retryAfter, String explanation, boolean probeFollows, @Nullable Throwable openedBy) {
        super(explanation);
        this.name = name;
        this.retryAfter = retryAfter;
        this.probeFollows = probeFollows;
        this.openedBy = openedBy;
    }

    /** The name of the circuit breaker. */
    public String name() {
        return name;
    }

    /** How long to wait before the next try, always above zero: what is left of the open period where it is known. */
    @Override
    public Duration retryAfter() {
        return retryAfter;
    }

    /** Put together when it is asked for: most refusals are never printed. */
    @Override
    public String getMessage() {
        String explanation = String.valueOf(super.getMessage());
        return probeFollows ? explanation + ", next probe in " + Durations.inWords(retryAfter) : explanation;
    }

    /** That the call was not made, without the reason. */
    @Override
    public String publicMessage() {
        return plain(name);
    }

    /** The failure of another call that opened the breaker, or {@code null} if there is none or it is not known. */
    @Override
    public synchronized @Nullable Throwable getCause() {
        return openedBy;
    }

    private static String plain(String name) {
        return "Circuit breaker '" + name + "' refused the call: it was not made";
    }
}
