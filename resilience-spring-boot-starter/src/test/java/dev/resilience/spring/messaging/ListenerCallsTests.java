package dev.resilience.spring.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.idempotency.CallerScope;
import dev.resilience.spring.Applications;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMessagingAutoConfiguration;
import dev.resilience.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.support.GenericMessage;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What of a message is the key of a listener's call, and what is compared with the first delivery. */
class ListenerCallsTests {

    private static <B> void with(Class<B> listener, Applications.Use<B> use) {
        Applications.plain(listener)
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.with(context.getBean(listener), null);
                });
    }

    private static ConsumerRecord<String, String> kafka(long offset, String id, String value) {
        RecordHeaders headers = new RecordHeaders();
        headers.add("trace", ("t" + offset).getBytes(StandardCharsets.UTF_8));
        if (id != null) {
            headers.add("message-id", id.getBytes(StandardCharsets.UTF_8));
        }
        return new ConsumerRecord<>(
                "orders", 0, offset, offset, TimestampType.CREATE_TIME, 1, 1, "key", value, headers, Optional.empty());
    }

    private static Message amqp(String id, String body, long tag) {
        return MessageBuilder.withBody(body.getBytes(StandardCharsets.UTF_8))
                .setHeader("message-id", id)
                .setDeliveryTag(tag)
                .build();
    }

    @Test
    void aRecordIsKnownByItsHeaderAndComparedByItsValue() {
        with(Listeners.class, (listeners, callee) -> {
            listeners.onRecord(kafka(1, "m", "a"));
            listeners.onRecord(kafka(2, "m", "a"));
            listeners.onRecord(kafka(3, "n", "a"));
            assertThat(listeners.calls()).isEqualTo(2);
            assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                    .isThrownBy(() -> listeners.onRecord(kafka(4, "m", "b")));
        });
    }

    @Test
    void theKeyOfARecordIsAKeyToo() {
        with(Listeners.class, (listeners, callee) -> {
            listeners.onKey(kafka(1, "m", "a"));
            listeners.onKey(kafka(2, "n", "a"));
            assertThat(listeners.calls()).isEqualTo(1);
        });
    }

    @Test
    void theLastOfSeveralHeadersOfOneNameCounts() {
        with(Listeners.class, (listeners, callee) -> {
            ConsumerRecord<String, String> twice = kafka(1, "m", "a");
            twice.headers().add("message-id", "n".getBytes(StandardCharsets.UTF_8));
            listeners.onRecord(twice);
            listeners.onRecord(kafka(2, "n", "a"));
            assertThat(listeners.calls()).isEqualTo(1);
        });
    }

    /** Two of them would become one key. */
    @Test
    void aHeaderThatIsNoTextIsRefused() {
        with(Listeners.class, (listeners, callee) -> {
            ConsumerRecord<String, String> message = kafka(1, null, "a");
            message.headers().add("message-id", new byte[] {'m', (byte) 0x80});
            assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                    .isThrownBy(() -> listeners.onRecord(message))
                    .withMessageContaining("message-id");
            assertThat(listeners.calls()).isZero();
        });
    }

    /** Its listener, which would do so, does not run. */
    @Test
    void aReplayIsAcknowledged() {
        AtomicInteger acknowledged = new AtomicInteger();
        with(Listeners.class, (listeners, callee) -> {
            listeners.byHand("a", acknowledged::incrementAndGet);
            assertThat(acknowledged).hasValue(0);
            listeners.byHand("a", acknowledged::incrementAndGet);
            assertThat(acknowledged).hasValue(1);
            assertThat(listeners.calls()).isEqualTo(1);
        });
    }

    @Test
    void aMessageOfAmqpIsKnownByItsHeaderAndComparedByItsBody() {
        with(Listeners.class, (listeners, callee) -> {
            listeners.onAmqp(amqp("m", "a", 1));
            listeners.onAmqp(amqp("m", "a", 2));
            assertThat(listeners.calls()).isEqualTo(1);
            assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                    .isThrownBy(() -> listeners.onAmqp(amqp("m", "b", 3)));
            CurrentMessage.set(amqp("m", "b", 3));
            try {
                assertThatExceptionOfType(AmqpRejectAndDontRequeueException.class)
                        .isThrownBy(() -> listeners.onAmqp(amqp("m", "b", 3)))
                        .withCauseInstanceOf(IdempotencyKeyReusedException.class);
            } finally {
                CurrentMessage.set(null);
            }
        });
    }

    @Test
    void thePropertyMessageIdOfAmqpIsAHeaderToo() {
        with(Listeners.class, (listeners, callee) -> {
            for (long delivery = 1; delivery < 3; delivery++) {
                listeners.onAmqp(MessageBuilder.withBody(new byte[0])
                        .setMessageId("m")
                        .setDeliveryTag(delivery)
                        .build());
            }
            assertThat(listeners.calls()).isEqualTo(1);
        });
    }

    @Test
    void aMessageOfSpringIsKnownByItsHeaderAndComparedByItsPayload() {
        with(Listeners.class, (listeners, callee) -> {
            listeners.onSpring(new GenericMessage<>("a", Map.of("message-id", "m", "trace", "1")));
            listeners.onSpring(new GenericMessage<>("a", Map.of("message-id", "m".getBytes(StandardCharsets.UTF_8))));
            assertThat(listeners.calls()).isEqualTo(1);
            assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                    .isThrownBy(() -> listeners.onSpring(new GenericMessage<>("b", Map.of("message-id", "m"))));
        });
    }

    /** Which Spring makes anew for each delivery. */
    @Test
    void theIdThatSpringGivesAMessageIsNoKey() {
        with(
                ById.class,
                (listener, callee) -> assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                        .isThrownBy(() -> listener.on(new GenericMessage<>("a"))));
    }

    @Test
    void acknowledgmentsConsumersAndHeadersAreNotCompared() {
        with(Listeners.class, (listeners, callee) -> {
            listeners.on("a", "m", 1, Map.of("n", "1"), new MessageHeaders(null), () -> {}, new MockConsumer<>("none"));
            listeners.on("a", "m", 2, Map.of("n", "2"), new MessageHeaders(null), () -> {}, new MockConsumer<>("none"));
            assertThat(listeners.calls()).isEqualTo(1);
            assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                    .isThrownBy(() -> listeners.on("b", "m", 3, Map.of(), new MessageHeaders(null), null, null));
        });
    }

    @Test
    void aMessageWithoutTheHeaderIsRefusedUnlessTheKeyIsOptional() {
        with(Listeners.class, (listeners, callee) -> {
            assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                    .isThrownBy(() -> listeners.onRecord(kafka(1, null, "a")))
                    .withMessageContaining("message-id");
            assertThat(listeners.calls()).isZero();
            listeners.perhaps(kafka(1, null, "a"));
            listeners.perhaps(kafka(1, null, "a"));
            assertThat(listeners.calls()).isEqualTo(2);
        });
    }

    /** A listener is called by its container alone, whatever the application knows of callers. */
    @Test
    void messagesHaveNoCallers() {
        AtomicInteger callers = new AtomicInteger();
        Applications.plain(Listeners.class)
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class))
                .withBean(CallerScope.class, () -> () -> "caller " + callers.incrementAndGet())
                .run(context -> {
                    context.getBean(Listeners.class).onRecord(kafka(1, "m", "a"));
                    context.getBean(Listeners.class).onRecord(kafka(1, "m", "a"));
                    assertThat(context.getBean(Listeners.class).calls()).isEqualTo(1);
                });
    }

    /** A method of a STOMP or RSocket controller has callers, and no broker that delivers again. */
    @Test
    void aMappedMessageOfAControllerIsNoMessageOfABroker() {
        with(
                Mapped.class,
                (mapped, callee) -> assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                        .isThrownBy(() -> mapped.on(new GenericMessage<>("a", Map.of("message-id", "m"))))
                        .withMessageContaining("does not come from a request"));
    }

    /** As a container does it: the message is handled when the listener has returned, even if a publisher is subscribed to later. */
    @Test
    void aPublisherBelongsToTheMessageForWhichItWasMade() {
        ConcurrentKafkaListenerContainerFactory<String, String> factory =
                new ConcurrentKafkaListenerContainerFactory<>();
        with(Listeners.class, (listeners, callee) -> {
            DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
            beans.registerSingleton("time", TimeSource.system());
            new CurrentMessage(beans).postProcessAfterInitialization(factory, "factory");
            RecordInterceptor<String, String> container = factory.getRecordInterceptor();
            for (int delivery = 1; delivery < 3; delivery++) {
                ConsumerRecord<String, String> message = kafka(delivery, "m", "a");
                container.intercept(message, null);
                Mono<String> later = listeners.later("a");
                container.afterRecord(message, null);
                assertThat(later.subscribeOn(Schedulers.boundedElastic()).block())
                        .isEqualTo("done");
            }
            assertThat(listeners.calls()).isEqualTo(1);
            assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                    .isThrownBy(() -> listeners.later("a").block());
        });
    }

    @SuppressWarnings("unused")
    static class Listeners {

        private final AtomicInteger calls = new AtomicInteger();

        int calls() {
            return calls.get();
        }

        @KafkaListener
        @Idempotent(header = "message-id")
        void onRecord(ConsumerRecord<String, String> message) {
            calls.incrementAndGet();
        }

        @KafkaListener
        @Idempotent(key = "#message.key()")
        void onKey(ConsumerRecord<String, String> message) {
            calls.incrementAndGet();
        }

        @KafkaListener
        @Idempotent(key = "#order")
        void byHand(String order, Acknowledgment acknowledgment) {
            calls.incrementAndGet();
        }

        @KafkaListener
        @Idempotent(header = "message-id", required = false)
        void perhaps(ConsumerRecord<?, ?> message) {
            calls.incrementAndGet();
        }

        @KafkaListener
        @Idempotent(header = "message-id")
        Mono<String> later(String order) {
            return Mono.fromSupplier(() -> {
                calls.incrementAndGet();
                return "done";
            });
        }

        @RabbitListener
        @Idempotent(header = "message-id")
        void onAmqp(Message message) {
            calls.incrementAndGet();
        }

        @JmsListener(destination = "orders")
        @Idempotent(header = "message-id")
        void onSpring(org.springframework.messaging.Message<String> message) {
            calls.incrementAndGet();
        }

        @KafkaListener
        @Idempotent(key = "#id")
        void on(
                @Payload String order,
                @Header("message-id") String id,
                @Header("attempt") int attempt,
                @Headers Map<String, Object> all,
                MessageHeaders headers,
                Acknowledgment acknowledgment,
                Consumer<?, ?> consumer) {
            calls.incrementAndGet();
        }
    }

    static class ById {

        @KafkaListener
        @Idempotent(header = "id")
        void on(org.springframework.messaging.Message<String> message) {}
    }

    static class Mapped {

        @MessageMapping("orders")
        @Idempotent(header = "message-id")
        void on(org.springframework.messaging.Message<String> message) {}
    }
}
