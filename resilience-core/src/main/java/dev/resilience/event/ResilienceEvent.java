package dev.resilience.event;

import java.time.Instant;
import java.util.Locale;

/**
 * Something that happened to a policy's live object. Made only where a listener listens.
 *
 * <p>No event carries arguments, keys or results of the protected method.
 */
public sealed interface ResilienceEvent
        permits RetryScheduled,
                RetryFinished,
                CircuitStateChanged,
                CallRejected,
                CallQueued,
                CallTimedOut,
                IdempotencyDecided,
                PolicyAdded,
                PolicyChanged,
                PolicyRemoved {

    /** Wall-clock time. */
    Instant at();

    /**
     * The kind of the policy, as in YAML: {@code retry}, {@code circuit-breaker}, {@code bulkhead}, {@code
     * rate-limit}, {@code time-limit}, {@code idempotency}.
     */
    String kind();

    /** The name of the policy; that of one host's own circuit breaker or bulkhead is {@code payments[host:port]}. */
    String name();

    /** The name of the policy, without a host. */
    default String policyName() {
        int host = name().endsWith("]") ? name().indexOf('[') : 0;
        return host <= 0 ? name() : name().substring(0, host);
    }

    /** What happened, in kebab case: {@code retry-scheduled}. The name of its class, unless it says otherwise. */
    default String type() {
        return getClass().getSimpleName().replaceAll("(?<=.)(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }
}
