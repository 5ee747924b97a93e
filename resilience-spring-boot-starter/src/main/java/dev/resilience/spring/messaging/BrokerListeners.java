package dev.resilience.spring.messaging;

import static dev.resilience.spring.WarningId.RETRY_BEYOND_POLL_INTERVAL;
import static dev.resilience.spring.WarningId.RETRY_OF_BATCH;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.retry.Retry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.circuitbreaker.CircuitBreakerKind;
import dev.resilience.spring.idempotency.MessageListeners;
import dev.resilience.spring.idempotency.http.Requests.KeySource;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedCall;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.retry.RetryKind;
import dev.resilience.time.TimeSource;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.kafka.config.AbstractKafkaListenerContainerFactory;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.util.StringUtils;

/** Listeners of the brokers whose libraries are there. */
public record BrokerListeners(TimeSource time, ConfigurableApplicationContext application, ListenerPauses pauses)
        implements MessageListeners {

    private static final Pattern INJECTED = Pattern.compile(
            "org\\.apache\\.kafka\\.|org\\.springframework\\.(amqp|kafka|messaging)\\.|com\\.rabbitmq\\.|jakarta\\.jms\\.");

    /** The annotations of all brokers stand for {@code @MessageMapping}, which itself is for controllers. */
    @Override
    public boolean contain(Method method) {
        return mappings(method).findAny().isPresent();
    }

    private static Stream<MergedAnnotation<MessageMapping>> mappings(AnnotatedElement part) {
        return MergedAnnotations.from(part, SearchStrategy.TYPE_HIERARCHY).stream(MessageMapping.class)
                .filter(mapping -> mapping.getDistance() > 0);
    }

    /** The brokers' annotations; those of the class belong to methods that handle one type of message each. */
    private static List<MergedAnnotation<?>> annotations(ProtectedMethod<?> listener) {
        return Stream.of(listener.method(), listener.type())
                .flatMap(BrokerListeners::mappings)
                .<MergedAnnotation<?>>map(mapping -> Objects.requireNonNull(mapping.getMetaSource()))
                .toList();
    }

    /** By the annotation, by the container factory that it names, or by what the method takes. */
    private boolean getsBatches(Method method, MergedAnnotation<?> listener) {
        return setting(listener, "batch", "batchListener").equals("true")
                || Stream.of(method.getGenericParameterTypes())
                        .map(type -> ResolvableType.forType(type).as(Iterable.class))
                        .anyMatch(several ->
                                BrokerMessages.areOf(several.getGeneric().toClass()));
    }

    /** What an annotation says or, where it says nothing, its container factory, which may have a setter for it alone. */
    private String setting(MergedAnnotation<?> listener, String attribute, String field) {
        String written = listener.getValue(attribute, String.class).orElse("");
        return written.isEmpty()
                ? containerFactory(listener)
                        .map(DirectFieldAccessor::new)
                        .filter(factory -> factory.isReadableProperty(field))
                        .map(factory -> factory.getPropertyValue(field))
                        .map(String::valueOf)
                        .orElse("")
                : application.getEnvironment().resolvePlaceholders(written);
    }

    private Optional<Object> containerFactory(MergedAnnotation<?> listener) {
        String byDefault = StringUtils.uncapitalize(listener.getType().getSimpleName()) + "ContainerFactory";
        return listener.getValue("containerFactory", String.class)
                .map(application.getEnvironment()::resolvePlaceholders)
                .map(name -> name.isEmpty() ? byDefault : name)
                .filter(application::containsBean)
                .map(application::getBean);
    }

    @Override
    public @Nullable ResolvableType payloadType(MergedAnnotations annotations, ResolvableType declared) {
        Class<?> type = declared.toClass();
        if (BrokerMessages.KAFKA && ConsumerRecord.class.isAssignableFrom(type)) {
            return declared.as(ConsumerRecord.class).getGeneric(1);
        }
        if (BrokerMessages.areOf(type)) {
            return declared.as(Message.class).getGeneric(); // whose type only Spring's messages tell
        }
        boolean isHeader = annotations.isPresent(Header.class) || annotations.isPresent(Headers.class);
        return isHeader || INJECTED.matcher(type.getName()).lookingAt() ? null : declared;
    }

    @Override
    public @Nullable Object payload(@Nullable Object argument) {
        return BrokerMessages.payload(argument);
    }

    @Override
    public void replayed(Invocation message) {
        for (Object argument : message.arguments()) {
            if (BrokerMessages.KAFKA && argument instanceof Acknowledgment delivery) {
                delivery.acknowledge();
            }
        }
    }

    @Override
    public Layer aroundDeliveries(ProtectedMethod<?> listener) {
        List<MergedAnnotation<?>> annotations = annotations(listener);
        Retry retry = RetryKind.of(listener);
        if (annotations.stream().anyMatch(annotation -> getsBatches(listener.method(), annotation))) {
            checkBatches(listener);
        } else if (BrokerMessages.KAFKA && retry != null) {
            annotations.forEach(annotation ->
                    warnIfPollsComeLate(listener, annotation, retry.policy().worstCaseWait()));
        }
        if (listener.annotation(Idempotent.class) != null
                && annotations.stream()
                        .filter(annotation -> annotation.getType().getName().startsWith("org.springframework.amqp."))
                        .anyMatch(ofAmqp ->
                                setting(ofAmqp, "ackMode", "acknowledgeMode").equalsIgnoreCase("MANUAL"))) {
            throw new ResilienceConfigurationException(
                    "The @Idempotent listener " + MethodNames.full(listener.method(), listener.type())
                            + " acknowledges its messages by hand, and does not run for one that was handled before",
                    "Let its container acknowledge them (acknowledge-mode: auto).");
        }
        CircuitBreaker breaker = listener.live(CircuitBreakerKind.class);
        if (breaker != null) {
            pauses.add(listener, breaker);
        }
        return new DeliveryLayer(annotations.get(0).getType().getName(), retry, breaker, time, application::isClosed);
    }

    private static void checkBatches(ProtectedMethod<?> listener) {
        String name = MethodNames.full(listener.method(), listener.type());
        if (listener.annotation(Idempotent.class) != null) {
            throw new ResilienceConfigurationException(
                    "The @Idempotent listener " + name + " gets several messages in one call: one key would stand "
                            + "for all of them, and a single message that was handled before would refuse all others",
                    "Let it get single messages (batch = \"false\"), or call an @Idempotent method of another bean for "
                            + "each message, or filter what was handled before (RecordFilterStrategy).");
        }
        if (listener.annotation(Retryable.class) != null) {
            listener.warnings()
                    .add(RETRY_OF_BATCH.of("The listener " + name + " has @Retryable and gets several messages in one "
                            + "call: a failure of one repeats the whole batch. Call a @Retryable method of another "
                            + "bean for each message"));
        }
    }

    private void warnIfPollsComeLate(ProtectedMethod<?> listener, MergedAnnotation<?> annotation, Duration wait) {
        if (!(containerFactory(annotation).orElse(null)
                        instanceof AbstractKafkaListenerContainerFactory<?, ?, ?> factory)
                || factory.getConsumerFactory() == null) {
            return;
        }
        Map<Object, Object> settings =
                new HashMap<>(factory.getConsumerFactory().getConfigurationProperties());
        settings.putAll(factory.getContainerProperties().getKafkaConsumerProperties());
        for (String setting : annotation.getStringArray("properties")) {
            String[] parts =
                    application.getEnvironment().resolvePlaceholders(setting).split("[=:]", 2);
            settings.put(parts[0].strip(), parts[parts.length - 1].strip());
        }
        long records = number(settings.get(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), 500);
        Duration interval =
                Duration.ofMillis(number(settings.get(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG), 300_000));
        if (wait.compareTo(interval.dividedBy(Math.max(1, records))) > 0) {
            listener.warnings()
                    .add(RETRY_BEYOND_POLL_INTERVAL.of("The retries of the listener "
                            + MethodNames.full(listener.method(), listener.type()) + " may wait " + wait
                            + " for each of the " + records + " messages of a poll (max.poll.records), in all longer "
                            + "than " + interval + " (max.poll.interval.ms), so that its consumer would lose its "
                            + "partitions. Set max.poll.records=" + Math.max(1, interval.dividedBy(wait))
                            + ", or a longer interval, or retry with shorter waits"));
        }
    }

    private static long number(@Nullable Object setting, long byDefault) {
        String text = String.valueOf(setting);
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : byDefault; // an expression tells nothing here
    }

    @Override
    public KeySource keys(String header, boolean required) {
        return new KeySource() {

            /** A publisher may be subscribed to on a thread that handles no message. */
            @Override
            public @Nullable Object headersAtAssembly() {
                return CurrentMessage.get();
            }

            @Override
            public @Nullable String key(Invocation call) {
                Object atAssembly = call instanceof ProtectedCall made ? made.headersAtAssembly() : null;
                Object key = Stream.concat(Arrays.stream(call.arguments()), Stream.of(CurrentMessage.get(), atAssembly))
                        .flatMap(Stream::ofNullable)
                        .flatMap(carrier -> Stream.ofNullable(BrokerMessages.header(carrier, header)))
                        .findFirst()
                        .orElse(null);
                if (key == null && required) {
                    throw new IdempotencyKeyMissingException(
                            "The call has no idempotency key: its message has no header " + header);
                }
                return key instanceof byte[] bytes ? text(bytes, header) : Objects.toString(key, null);
            }
        };
    }

    private static String text(byte[] key, String header) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString();
        } catch (CharacterCodingException noText) {
            throw new IdempotencyKeyInvalidException("The header " + header + " of the message is no text in UTF-8");
        }
    }
}
