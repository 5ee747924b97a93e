package dev.resilience.spring.messaging;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.context.CallContext;
import dev.resilience.deadletter.KeptCalls;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.retry.RetryPolicy.Nested;
import dev.resilience.spring.circuitbreaker.CircuitBreakerKind;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateRequeueAmqpException;

/**
 * Stands around all other layers of a listener and decides what its container gets. A message of AMQP or JMS whose key is in
 * progress, or that a rate limit refuses, keeps its delivery until {@code retryAfter} is over, and is handled again then, because these brokers deliver again at
 * once and may count deliveries. What no retry helps a container of AMQP rejects for good; with JMS that is the broker's own affair.
 *
 * <p>The listener's own retry takes the place of the container's, unless its policy leaves retrying to others: what it fails with
 * is not delivered again, but for a refusal, which kept it from trying. A message that it has kept as a dead letter is acknowledged.
 * What fails while the listener's circuit breaker is open, or is refused by it, is delivered again if that pauses listeners.
 *
 * @param broker the name of its annotation for listeners
 * @param retry the listener's own; {@code null} if it has none
 * @param breaker the listener's own; {@code null} if it has none
 * @param ends whether the application ends, so that a message goes back to the broker in place of being handled again
 */
record DeliveryLayer(
        String broker, @Nullable Retry retry, @Nullable CircuitBreaker breaker, TimeSource time, BooleanSupplier ends)
        implements Layer {

    /** What no retry helps. */
    static final List<Class<? extends Exception>> PERMANENT = List.of(
            IdempotencyKeyInvalidException.class,
            IdempotencyKeyMissingException.class,
            IdempotencyKeyReusedException.class,
            IdempotencyOutcomeUnknownException.class,
            ListenerRetryExhaustedException.class);

    /** For a message that a circuit breaker refuses while it waits for a probe, and its container does not pause. */
    static final Duration PAUSE = Duration.ofSeconds(1);

    @Override
    public Step around(Step next) {
        return new Step() {

            @Override
            public @Nullable Object call(Invocation message) throws Throwable {
                if (!begin()) {
                    return next.call(message);
                }
                while (true) {
                    try {
                        return next.call(message);
                    } catch (Throwable failure) {
                        Duration delay = delay(failure);
                        if (delay.isZero() || !sleep(delay) || !isPostponed(failure)) {
                            return end(failure);
                        }
                    }
                }
            }

            /** A future can wait for the broker to deliver again. */
            @Override
            public CompletableFuture<@Nullable Object> callAsync(Invocation message) {
                if (!begin()) {
                    return next.callAsync(message);
                }
                return next.callAsync(message).exceptionallyCompose(failure -> {
                    CompletableFuture<@Nullable Object> later = new CompletableFuture<>();
                    time.schedule(delay(failure), () -> {
                        try {
                            later.complete(end(failure));
                        } catch (Throwable thrown) {
                            later.completeExceptionally(thrown);
                        }
                    });
                    return later;
                });
            }
        };
    }

    /** Whether a container makes the call: its deliveries are no attempts around a retry that takes its place. */
    private boolean begin() {
        boolean isDelivered = CurrentMessage.get() != null;
        if (isDelivered && takesPlace()) {
            CallContext.ofThread()[CallContext.ATTEMPT] = null;
        }
        return isDelivered;
    }

    private boolean takesPlace() {
        RetryPolicy policy = retry == null ? null : retry.policy();
        return policy != null && (policy.deadLetter() || (policy.maxAttempts() > 1 && policy.nested() == Nested.ALLOW));
    }

    /** How long a message waits that the listener does not handle now. Kafka waits itself, and other brokers deliver again at once. */
    private Duration delay(Throwable failure) {
        if (broker.startsWith("org.springframework.kafka.")) {
            return Duration.ZERO;
        }
        boolean waitsForProbe = breaker != null && isRefusal(failure) && !CircuitBreakerKind.pausesListeners(breaker);
        Duration refusal = waitsForProbe ? PAUSE : Duration.ZERO;
        Duration later = failure instanceof ResilienceException refused ? refused.retryAfter() : null;
        return later != null && isPostponed(failure) ? later : refusal;
    }

    private static boolean isPostponed(Throwable failure) {
        return failure instanceof ResilienceException refused && refused.isPostponed();
    }

    /** Whether the message is to be handled again then. */
    private boolean sleep(Duration wait) {
        try {
            time.sleep(wait);
            return !ends.getAsBoolean();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Acknowledges the message by {@code null}, or throws what its container understands. An error stays what it is. */
    private @Nullable Object end(Throwable failure) throws Throwable {
        if (takesPlace() && KeptCalls.find(failure).isPresent()) {
            return null;
        }
        Throwable thrown = failure;
        if (failure instanceof Exception last) {
            thrown = isOutage(last)
                    ? new ListenerPausedException(last)
                    : takesPlace() && hasTried(last) ? new ListenerRetryExhaustedException(last) : last;
        }
        throw broker.startsWith("org.springframework.amqp.") ? Amqp.exception(thrown) : thrown;
    }

    /** What no retry helps is no outage, though the circuit breaker is open, which it does not reach. */
    private boolean isOutage(Exception failure) {
        boolean isPermanent = PERMANENT.contains(failure.getClass());
        return isRefusal(failure) || (!isPermanent && breaker != null && CircuitBreakerKind.pausesListeners(breaker));
    }

    private boolean isRefusal(Throwable failure) {
        return breaker != null
                && breaker.policy().pauseListeners()
                && failure instanceof CircuitOpenException refused
                && refused.name().equals(breaker.name());
    }

    /** A refusal kept the retry from trying; an interrupt or the end of the application cut it short. */
    private boolean hasTried(Exception failure) {
        boolean isInterrupt = Thread.currentThread().isInterrupted() || FaultClassification.isInterrupt(failure);
        return !ResilienceException.isRefusal(failure) && !isInterrupt && !ends.getAsBoolean();
    }

    /** The listener waits for a circuit breaker that pauses it: its message is to be delivered again, as often as it takes. */
    static final class ListenerPausedException extends RuntimeException {

        private ListenerPausedException(Exception failure) {
            super("The listener waits for its circuit breaker: " + failure, failure);
        }
    }

    /** By the exceptions that its containers know. */
    private static final class Amqp {

        static Throwable exception(Throwable failure) {
            if (isPostponed(failure) || failure instanceof ListenerPausedException) {
                return new ImmediateRequeueAmqpException(failure);
            }
            return PERMANENT.contains(failure.getClass()) ? new AmqpRejectAndDontRequeueException(failure) : failure;
        }
    }
}
