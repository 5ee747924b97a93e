package dev.resilience.messaging;

import static java.util.Objects.requireNonNull;

import dev.resilience.idempotency.Idempotency;
import dev.resilience.spring.ResilienceRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.RetryListener;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/** An application as Boot makes it, with a topic of its own on a broker in this process. */
final class KafkaApplication implements AutoCloseable {

    private static final String GROUP = "shop";
    private static final AtomicInteger TOPICS = new AtomicInteger();

    final ConfigurableApplicationContext context;
    final Effects effects = new Effects();
    final String topic;

    /** Started, and with partitions assigned to its listeners. */
    KafkaApplication(List<String> properties, Class<?>... components) {
        this("orders-" + TOPICS.incrementAndGet(), brokers(), properties, components);
    }

    KafkaApplication(String topic, String brokers, List<String> properties, Class<?>... components) {
        this.topic = topic;
        List<String> all = new ArrayList<>(List.of(
                "spring.artemis.mode=native",
                "spring.kafka.bootstrap-servers=" + brokers,
                "spring.kafka.consumer.group-id=" + GROUP,
                "spring.kafka.consumer.auto-offset-reset=earliest",
                "spring.kafka.consumer.fetch-max-wait=20ms", // of the fetch that runs when an error handler seeks
                "spring.kafka.listener.poll-timeout=200ms",
                "topic=" + topic));
        all.addAll(properties);
        context = effects.application(Application.class, all, components);
        await(() -> containers().stream()
                .allMatch(container -> !container.getAssignedPartitions().isEmpty()));
    }

    /** Another application with the same topic, in the same group. */
    KafkaApplication joined(List<String> properties, Class<?>... components) {
        return new KafkaApplication(topic, brokers(), properties, components);
    }

    static String brokers() {
        return Broker.BROKER.getBrokersAsString();
    }

    /** What Kafka's error handler has given up. */
    static class GivenUp {

        final List<String> all = new CopyOnWriteArrayList<>();

        GivenUp(ConcurrentKafkaListenerContainerFactory<?, ?> containers) {
            collect(containers, all);
        }
    }

    static Object errorHandler(ConcurrentKafkaListenerContainerFactory<?, ?> containers) {
        return new DirectFieldAccessor(containers).getPropertyValue("commonErrorHandler");
    }

    /** Collects what the error handler of a factory's containers gives up. */
    static void collect(ConcurrentKafkaListenerContainerFactory<?, ?> containers, List<String> givenUp) {
        Object handler = AopProxyUtils.getSingletonTarget(requireNonNull(errorHandler(containers)));
        ((DefaultErrorHandler) requireNonNull(handler)).setRetryListeners(new RetryListener() {
            @Override
            public void failedDelivery(ConsumerRecord<?, ?> message, Exception failure, int attempt) {}

            @Override
            public void recovered(ConsumerRecord<?, ?> message, Exception failure) {
                givenUp.add((String) message.value());
            }
        });
    }

    /** Started for the first that needs it; ends with the JVM. */
    private static final class Broker {

        static final EmbeddedKafkaKraftBroker BROKER = new EmbeddedKafkaKraftBroker(1, 3);

        static {
            BROKER.brokerProperty("group.min.session.timeout.ms", "1000"); // a test need not wait for a killed consumer
            BROKER.afterPropertiesSet();
        }
    }

    /** How many consumers the group has that have partitions. */
    long members() {
        return admin(admin -> admin.describeConsumerGroups(List.of(GROUP)).all().get().get(GROUP).members().stream()
                .filter(member -> !member.assignment().topicPartitions().isEmpty())
                .count());
    }

    /** Whether nothing that was sent is still to be handled. */
    boolean isAllAcknowledged() {
        return admin(admin -> {
            Map<TopicPartition, OffsetAndMetadata> done = admin.listConsumerGroupOffsets(GROUP)
                    .partitionsToOffsetAndMetadata()
                    .get();
            for (int partition = 0; partition < 3; partition++) {
                TopicPartition each = new TopicPartition(topic, partition);
                long sent = admin.listOffsets(Map.of(each, OffsetSpec.latest()))
                        .partitionResult(each)
                        .get()
                        .offset();
                if (!done.containsKey(each) || done.get(each).offset() < sent) {
                    return false;
                }
            }
            return true;
        });
    }

    private static <T> T admin(Question<T> question) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers()))) {
            return question.ask(admin);
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    @FunctionalInterface
    private interface Question<T> {

        T ask(Admin admin) throws Exception;
    }

    private List<MessageListenerContainer> containers() {
        return List.copyOf(context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainers());
    }

    /** To partition 0, with a header {@code message-id} unless that is {@code null}. */
    void send(String messageId, String value) {
        sendTo(0, messageId, value);
    }

    void sendToOtherPartition(String value) {
        sendTo(1, null, value);
    }

    void sendTo(int partition, String messageId, String value) {
        ProducerRecord<String, String> message = new ProducerRecord<>(topic, partition, "key", value);
        if (messageId != null) {
            message.headers().add("message-id", messageId.getBytes(StandardCharsets.UTF_8));
        }
        template().send(message).join();
    }

    @SuppressWarnings("unchecked") // Boot's own, whose serializers are those of texts
    private KafkaTemplate<String, String> template() {
        return context.getBean(KafkaTemplate.class);
    }

    /** How many idempotent calls have ended in a way. */
    long outcomes(String outcome) {
        return outcomes(context, outcome);
    }

    static long outcomes(ConfigurableApplicationContext context, String outcome) {
        return context.getBean(ResilienceRegistry.class)
                .get(Idempotency.class, "default")
                .calls()
                .byLabel()
                .get(outcome);
    }

    <B> B bean(Class<B> type) {
        return context.getBean(type);
    }

    static void await(java.util.concurrent.Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(condition);
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
