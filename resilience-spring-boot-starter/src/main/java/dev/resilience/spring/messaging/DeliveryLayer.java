package dev.resilience.spring.messaging;

import dev.resilience.context.CallContext;
import dev.resilience.deadletter.KeptCalls;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.TransientFault;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.retry.RetryPolicy.Nested;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateRequeueAmqpException;

/**
 * Stands around all other layers of a listener that is retried, or is an idempotent one of AMQP or JMS, whose brokers deliver
 * again at once and may count deliveries. There a message whose key is in progress keeps its delivery until {@code retryAfter} is
 * over, and is handled again then, so that no broker gives it up for that. What no retry helps a container of AMQP rejects for
 * good; JMS has no word for that, and leaves it to the broker.
 *
 * <p>The listener's own retry takes the place of the container's, unless its policy leaves retrying to others: what it fails with
 * is not delivered again, but for a refusal, which kept it from trying. A message that it has kept as a dead letter is acknowledged.
 *
 * @param retry the listener's own; {@code null} if it has none
 * @param ends whether the application ends, so that a message goes back to the broker in place of being handled again
 */
record DeliveryLayer(
        boolean isKafka, boolean isAmqp, @Nullable Retry retry, TimeSource time, BooleanSupplier ends)
        implements Layer {

    @Override
    public Step around(Step next) {
        return new Step() {

            @Override
            public @Nullable Object call(Invocation message) throws Throwable {
                boolean takesPlace = begin();
                while (true) {
                    try {
                        return next.call(message);
                    } catch (Throwable failure) {
                        if (takesPlace && KeptCalls.find(failure).isPresent()) {
                            return null;
                        }
                        if (isKafka || !(failure instanceof IdempotencyInProgressException refused)) {
                            throw told(failure, takesPlace);
                        }
                        awaitLease(refused);
                    }
                }
            }

            /** A future can wait for the broker to deliver again. */
            @Override
            public CompletableFuture<@Nullable Object> callAsync(Invocation message) {
                boolean takesPlace = begin();
                return next.callAsync(message).exceptionallyCompose(failure -> {
                    if (takesPlace && KeptCalls.find(failure).isPresent()) {
                        return CompletableFuture.completedFuture(null);
                    }
                    CompletableFuture<@Nullable Object> later = new CompletableFuture<>();
                    Duration wait = !isKafka && failure instanceof IdempotencyInProgressException refused
                            ? refused.retryAfter()
                            : Duration.ZERO;
                    time.schedule(wait, () -> later.completeExceptionally(told(failure, takesPlace)));
                    return later;
                });
            }
        };
    }

    /** Whether a container makes the call, and the retry takes its place: then its deliveries are no attempts around that. */
    private boolean begin() {
        RetryPolicy policy = retry == null || CurrentMessage.get() == null ? null : retry.policy();
        boolean repeats = policy != null && policy.maxAttempts() > 1 && policy.nested() == Nested.ALLOW;
        boolean takesPlace = repeats || (policy != null && policy.deadLetter());
        if (takesPlace) {
            CallContext.ofThread()[CallContext.ATTEMPT] = null;
        }
        return takesPlace;
    }

    private void awaitLease(IdempotencyInProgressException refused) throws Throwable {
        try {
            time.sleep(refused.retryAfter());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw told(refused, false);
        }
        if (ends.getAsBoolean()) {
            throw told(refused, false);
        }
    }

    /** A refusal kept the retry from trying; an interrupt or the end of the application cut it short; an error is no failure. */
    private Throwable told(Throwable failure, boolean takesPlace) {
        boolean isTried = failure instanceof TransientFault || !(failure instanceof ResilienceException);
        boolean isInterrupt = Thread.currentThread().isInterrupted() || FaultClassification.isInterrupt(failure);
        boolean isForGood = takesPlace && isTried && !isInterrupt && !ends.getAsBoolean();
        Throwable told =
                isForGood && failure instanceof Exception last ? new ListenerRetryExhaustedException(last) : failure;
        return isAmqp ? Amqp.told(told) : told;
    }

    /** By the exceptions that its containers know. */
    private static final class Amqp {

        static Throwable told(Throwable failure) {
            if (failure instanceof IdempotencyInProgressException) {
                return new ImmediateRequeueAmqpException(failure);
            }
            return failure instanceof ListenerRetryExhaustedException
                            || failure instanceof IdempotencyKeyInvalidException
                            || failure instanceof IdempotencyKeyMissingException
                            || failure instanceof IdempotencyKeyReusedException
                            || failure instanceof IdempotencyOutcomeUnknownException
                    ? new AmqpRejectAndDontRequeueException(failure)
                    : failure;
        }
    }
}
