package dev.resilience.spring.messaging;

import dev.resilience.exception.ResilienceException;
import dev.resilience.spring.messaging.DeliveryLayer.ListenerPausedException;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.LogFactory;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.core.log.LogAccessor;
import org.springframework.kafka.KafkaException.Level;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.SeekUtils;

/**
 * Stands around the error handler of a container factory of Kafka, Spring Kafka's default or the application's, for records that
 * wait: one whose key is in progress is delivered again when {@code retryAfter} is over, one that a pausing circuit breaker keeps out
 * after a second, as often as it takes, and meanwhile its partition pauses. What no retry helps is not retryable
 * for a {@link DefaultErrorHandler}, which gives it up at once. Everything else is the handler's.
 */
record KafkaRedelivery(TimeSource time) implements MethodInterceptor {

    private static final LogAccessor LOG = new LogAccessor(LogFactory.getLog(KafkaRedelivery.class));

    /** @param ofApplication {@code null} for the default, here one that counts failures of different types together */
    static CommonErrorHandler around(@Nullable CommonErrorHandler ofApplication, TimeSource time) {
        CommonErrorHandler handler = ofApplication == null ? new DefaultErrorHandler() : ofApplication;
        if (handler instanceof DefaultErrorHandler classifying) {
            DeliveryLayer.PERMANENT.forEach(classifying::addNotRetryableExceptions);
            if (ofApplication == null) {
                classifying.setResetStateOnExceptionChange(false); // an outage may fail in several ways
            }
        }
        ProxyFactory proxy = new ProxyFactory(CommonErrorHandler.class, new KafkaRedelivery(time));
        proxy.setTarget(handler);
        return (CommonErrorHandler) proxy.getProxy(KafkaRedelivery.class.getClassLoader());
    }

    /** A handler that does not seek gets single messages: its container keeps what it says {@code false} to. */
    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // Spring Kafka gives all arguments
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object[] arguments = call.getArguments();
        boolean isOne = call.getMethod().getName().equals("handleOne");
        boolean isSeveral = call.getMethod().getName().equals("handleRemaining");
        Duration delay = isOne || isSeveral ? delay((Exception) arguments[0]) : null;
        if (delay == null) {
            return call.proceed();
        }
        List<ConsumerRecord<?, ?>> messages =
                (List<ConsumerRecord<?, ?>>) (isOne ? List.of(arguments[1]) : arguments[1]);
        TopicPartition partition =
                new TopicPartition(messages.get(0).topic(), messages.get(0).partition());
        MessageListenerContainer all = (MessageListenerContainer) arguments[3];
        MessageListenerContainer one = all.getContainerFor(partition.topic(), partition.partition());
        if (!one.isPartitionPauseRequested(partition)) { // by the application
            all.pausePartition(partition);
            time.schedule(delay, () -> all.resumePartition(partition));
        }
        if (isSeveral) {
            Consumer<?, ?> consumer = (Consumer<?, ?>) arguments[2];
            SeekUtils.seekOrRecover(
                    (Exception) arguments[0], messages, consumer, all, false, (m, e) -> false, LOG, Level.DEBUG);
        }
        return false;
    }

    private static @Nullable Duration delay(Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ResilienceException refused && refused.isPostponed()) {
                return refused.retryAfter();
            }
            if (cause instanceof ListenerPausedException) {
                return DeliveryLayer.PAUSE;
            }
        }
        return null;
    }
}
