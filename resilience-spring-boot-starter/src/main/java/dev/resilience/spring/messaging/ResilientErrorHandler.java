package dev.resilience.spring.messaging;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.spring.messaging.DeliveryLayer.ListenerPausedException;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.SeekUtils;
import org.springframework.util.backoff.BackOff;

/**
 * Spring Kafka's {@link DefaultErrorHandler}, which knows what idempotent listeners of single records refuse. A record whose
 * key is in progress is delivered again when {@code retryAfter} is over, as often as it takes, and meanwhile its partition
 * pauses. One whose key is missing, invalid or used for another payload, whose outcome is unknown, or whose listener's own retry
 * has ended without success, goes to the recoverer at once. A record of a container that pauses for its circuit breaker ({@code
 * pause-listeners}) is delivered again if the breaker refuses it, or if it fails and the breaker is open then. Everything else
 * is retried as the back-off says. Every container factory of Kafka has one that has no error handler of the application and no
 * transactions of Kafka.
 */
public final class ResilientErrorHandler extends DefaultErrorHandler {

    private final TimeSource time;

    /**
     * In place of {@code new DefaultErrorHandler(recoverer, backOff)}.
     *
     * @param recoverer gets what is given up; {@code null} for a line in the log
     */
    public ResilientErrorHandler(@Nullable ConsumerRecordRecoverer recoverer, BackOff backOff) {
        this(recoverer, backOff, TimeSource.system());
    }

    /** @param time by which partitions pause */
    public ResilientErrorHandler(@Nullable ConsumerRecordRecoverer recoverer, BackOff backOff, TimeSource time) {
        super(recoverer, backOff);
        this.time = time;
        setResetStateOnExceptionChange(false); // an outage may fail in several ways
        DeliveryLayer.PERMANENT.forEach(this::addNotRetryableExceptions);
    }

    /** Always, because what the container keeps at hand would not wait for a partition that pauses. */
    @Override
    public boolean seeksAfterHandling() {
        return true;
    }

    @Override
    public void handleRemaining(
            Exception failure,
            List<ConsumerRecord<?, ?>> messages,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        Duration wait = wait(failure);
        if (wait == null) {
            super.handleRemaining(failure, messages, consumer, container);
            return;
        }
        TopicPartition partition =
                new TopicPartition(messages.get(0).topic(), messages.get(0).partition());
        if (!container.isPartitionPaused(partition)) {
            container.pausePartition(partition);
            time.schedule(wait, () -> container.resumePartition(partition));
        }
        SeekUtils.seekOrRecover(
                failure, messages, consumer, container, false, (message, refusal) -> false, logger, getLogLevel());
    }

    /** How long a message waits that is not given up; one that a circuit breaker keeps out waits with its container besides. */
    private static @Nullable Duration wait(Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof IdempotencyInProgressException refused) {
                return refused.retryAfter();
            }
            if (cause instanceof ListenerPausedException) {
                return DeliveryLayer.PAUSE;
            }
        }
        return null;
    }
}
