package dev.resilience.spring.messaging;

import dev.resilience.context.CallContext;
import dev.resilience.time.TimeSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.jms.annotation.JmsListenerAnnotationBeanPostProcessor;
import org.springframework.kafka.config.AbstractKafkaListenerContainerFactory;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.CompositeRecordInterceptor;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.util.ObjectUtils;

/**
 * The message that a thread handles: every container of Kafka and AMQP that a factory makes tells it, and JMS where the
 * application does not make the handler methods itself. A message that is delivered again is an attempt of its container, in which
 * the thread's calls are made. Comes before other processors, because the one of JMS is one.
 *
 * @param beans what arguments of JMS listeners are made with
 */
public record CurrentMessage(BeanFactory beans) implements BeanPostProcessor, PriorityOrdered {

    private static final ThreadLocal<@Nullable Object> CURRENT = new ThreadLocal<>();

    /** Of the class that the broker's library has for messages; {@code null} if the thread handles none. */
    static @Nullable Object get() {
        return CURRENT.get();
    }

    static void set(@Nullable Object message) {
        CURRENT.set(message);
        CallContext.ofThread()[CallContext.ATTEMPT] = message == null ? null : BrokerMessages.redelivery(message);
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (BrokerMessages.KAFKA && bean instanceof AbstractKafkaListenerContainerFactory<?, ?, ?> factory) {
            KafkaRecords.intercept(factory, beans.getBean(TimeSource.class));
        } else if (BrokerMessages.AMQP && bean instanceof AbstractRabbitListenerContainerFactory<?> factory) {
            MethodInterceptor advice = call -> {
                set(call.getArguments()[1] instanceof org.springframework.amqp.core.Message one ? one : null);
                try {
                    return call.proceed();
                } finally {
                    set(null);
                }
            };
            factory.setAdviceChain(ObjectUtils.addObjectToArray(factory.getAdviceChain(), advice));
        } else if (BrokerMessages.JMS && bean instanceof JmsListenerAnnotationBeanPostProcessor listeners) {
            DefaultMessageHandlerMethodFactory methods = new DefaultMessageHandlerMethodFactory();
            methods.setBeanFactory(beans);
            methods.afterPropertiesSet();
            listeners.setMessageHandlerMethodFactory(
                    (listener, method) -> jmsMethod(methods.createInvocableHandlerMethod(listener, method)));
        }
        return bean;
    }

    private static final class KafkaRecords<K, V> implements RecordInterceptor<K, V> {

        static <K, V> void intercept(AbstractKafkaListenerContainerFactory<?, K, V> factory, TimeSource time) {
            Object handler = new DirectFieldAccessor(factory).getPropertyValue("commonErrorHandler");
            if (factory.getContainerProperties().getKafkaAwareTransactionManager() == null) {
                factory.setCommonErrorHandler(KafkaRedelivery.around((CommonErrorHandler) handler, time));
            }
            factory.getContainerProperties().setDeliveryAttemptHeader(true);
            RecordInterceptor<K, V> outer = factory.getRecordInterceptor();
            RecordInterceptor<K, V> inner = new KafkaRecords<>();
            factory.setRecordInterceptor(outer == null ? inner : new CompositeRecordInterceptor<>(outer, inner));
        }

        @Override
        public ConsumerRecord<K, V> intercept(ConsumerRecord<K, V> message, Consumer<K, V> consumer) {
            set(message);
            return message;
        }

        @Override
        public void afterRecord(ConsumerRecord<K, V> message, Consumer<K, V> consumer) {
            set(null);
        }
    }

    private static InvocableHandlerMethod jmsMethod(InvocableHandlerMethod method) {
        return new InvocableHandlerMethod(method) {

            @Override
            public @Nullable Object invoke(Message<?> message, @Nullable Object... provided) throws Exception {
                set(provided[0]);
                try {
                    return method.invoke(message, provided);
                } finally {
                    set(null);
                }
            }
        };
    }
}
