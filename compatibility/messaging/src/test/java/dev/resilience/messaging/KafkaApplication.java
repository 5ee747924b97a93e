package dev.resilience.messaging;

import dev.resilience.idempotency.Idempotency;
import dev.resilience.spring.ResilienceRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/** An application as Boot makes it, with a topic of its own on a broker in this process. */
final class KafkaApplication implements AutoCloseable {

    /** Ends with the JVM. */
    private static final EmbeddedKafkaKraftBroker BROKER = new EmbeddedKafkaKraftBroker(1, 2);

    private static final AtomicInteger TOPICS = new AtomicInteger();

    static {
        BROKER.afterPropertiesSet();
    }

    final ConfigurableApplicationContext context;
    final Effects effects = new Effects();
    final String topic = "orders-" + TOPICS.incrementAndGet();

    /** Started, and with partitions assigned to its listeners. */
    KafkaApplication(List<String> properties, Class<?>... components) {
        BROKER.addTopics(topic, topic + "-dlt");
        List<String> all = new ArrayList<>(List.of(
                "spring.main.banner-mode=off",
                "spring.artemis.mode=native",
                "spring.kafka.bootstrap-servers=" + BROKER.getBrokersAsString(),
                "spring.kafka.consumer.group-id=shop",
                "spring.kafka.consumer.auto-offset-reset=earliest",
                "spring.kafka.listener.poll-timeout=200ms",
                "topic=" + topic));
        all.addAll(properties);
        context = new SpringApplicationBuilder(Application.class)
                .sources(components)
                .initializers(application -> application.getBeanFactory().registerSingleton("effects", effects))
                .web(WebApplicationType.NONE)
                .properties(all.toArray(String[]::new))
                .run();
        await(() -> containers().stream()
                .allMatch(container -> !container.getAssignedPartitions().isEmpty()));
    }

    private List<MessageListenerContainer> containers() {
        return List.copyOf(context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainers());
    }

    /** To partition 0, with a header {@code message-id} unless that is {@code null}. */
    void send(String messageId, String value) {
        send(0, messageId, value);
    }

    void sendToOtherPartition(String value) {
        send(1, null, value);
    }

    private void send(int partition, String messageId, String value) {
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
                .atMost(Duration.ofSeconds(30))
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
