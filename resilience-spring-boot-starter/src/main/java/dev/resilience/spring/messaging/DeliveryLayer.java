package dev.resilience.spring.messaging;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.ImmediateRequeueAmqpException;

/**
 * Stands around all other layers of an idempotent listener of AMQP or JMS, whose brokers deliver again at once and may count
 * deliveries. A message whose key is in progress keeps its delivery until {@code retryAfter} is over, and is handled again
 * then, so that no broker gives it up for that. What no retry helps a container of AMQP rejects for good; JMS has no word for
 * that, and leaves it to the broker.
 *
 * @param ends whether the application ends, so that a message goes back to the broker in place of being handled again
 */
record DeliveryLayer(boolean isAmqp, TimeSource time, BooleanSupplier ends) implements Layer {

    @Override
    public Step around(Step next) {
        return new Step() {

            @Override
            public @Nullable Object call(Invocation message) throws Throwable {
                while (true) {
                    try {
                        return next.call(message);
                    } catch (IdempotencyInProgressException refused) {
                        awaitLease(refused);
                    } catch (Throwable failure) {
                        throw told(failure);
                    }
                }
            }

            /** A future can wait for the broker to deliver again. */
            @Override
            public CompletableFuture<@Nullable Object> callAsync(Invocation message) {
                return next.callAsync(message).exceptionallyCompose(failure -> {
                    CompletableFuture<@Nullable Object> later = new CompletableFuture<>();
                    Duration wait = failure instanceof IdempotencyInProgressException refused
                            ? refused.retryAfter()
                            : Duration.ZERO;
                    time.schedule(wait, () -> later.completeExceptionally(told(failure)));
                    return later;
                });
            }
        };
    }

    private void awaitLease(IdempotencyInProgressException refused) throws Throwable {
        try {
            time.sleep(refused.retryAfter());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw told(refused);
        }
        if (ends.getAsBoolean()) {
            throw told(refused);
        }
    }

    private Throwable told(Throwable failure) {
        return isAmqp ? Amqp.told(failure) : failure;
    }

    /** By the exceptions that its containers know. */
    private static final class Amqp {

        static Throwable told(Throwable failure) {
            if (failure instanceof IdempotencyInProgressException) {
                return new ImmediateRequeueAmqpException(failure);
            }
            return failure instanceof IdempotencyKeyInvalidException
                            || failure instanceof IdempotencyKeyMissingException
                            || failure instanceof IdempotencyKeyReusedException
                            || failure instanceof IdempotencyOutcomeUnknownException
                    ? new AmqpRejectAndDontRequeueException(failure)
                    : failure;
        }
    }
}
