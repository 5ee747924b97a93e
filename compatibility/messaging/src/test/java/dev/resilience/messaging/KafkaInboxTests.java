package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.transaction.annotation.Transactional;

/**
 * A thousand messages, each sent one to five times, in any order, to three consumers, whose partitions move while they
 * work: each has one row, none is given up.
 */
@Tag("long")
class KafkaInboxTests {

    private static final int MESSAGES = 1_000;

    private static Server database;

    @BeforeAll
    static void startDatabase() throws SQLException {
        database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    }

    @AfterAll
    static void stopDatabase() {
        database.stop();
    }

    private static List<String> properties(String name) {
        return List.of(
                "spring.datasource.url=jdbc:h2:tcp://localhost:" + database.getPort() + "/mem:" + name
                        + ";DB_CLOSE_DELAY=-1",
                "spring.sql.init.mode=always",
                "resilience.idempotency-store.type=jdbc",
                "resilience.idempotency-store.jdbc.initialize-schema=always",
                "resilience.idempotency.default.lease=3s",
                "spring.kafka.consumer.properties.session.timeout.ms=6000",
                "spring.kafka.consumer.max-poll-records=20");
    }

    private static List<String> withConcurrency(int consumers, List<String> properties) {
        List<String> all = new ArrayList<>(properties);
        all.add("spring.kafka.listener.concurrency=" + consumers);
        return all;
    }

    /** What is to be sent, in three parts of one size. */
    private static List<List<Runnable>> sendings(KafkaApplication shop) {
        Random random = new Random(29);
        List<Runnable> all = new ArrayList<>();
        for (int message = 0; message < MESSAGES; message++) {
            String id = "m" + message;
            for (int delivery = 0; delivery <= message % 5; delivery++) {
                int partition = random.nextInt(3);
                all.add(() -> shop.sendTo(partition, id, "order of " + id));
            }
        }
        Collections.shuffle(all, random);
        int third = all.size() / 3;
        return List.of(all.subList(0, third), all.subList(third, 2 * third), all.subList(2 * third, all.size()));
    }

    private static void assertOneRowEach(KafkaApplication shop) {
        List<String> rows = shop.bean(JdbcClient.class)
                .sql("SELECT id FROM shipment")
                .query(String.class)
                .list();
        assertThat(rows).hasSize(MESSAGES).doesNotHaveDuplicates();
    }

    @Test
    void partitionsMayMoveMeanwhile() {
        List<String> properties = properties("moving");
        try (KafkaApplication shop =
                new KafkaApplication(withConcurrency(2, properties), Inbox.class, KafkaApplication.GivenUp.class)) {
            for (List<Runnable> third : sendings(shop)) {
                try (KafkaApplication other = shop.joined(withConcurrency(1, properties), Inbox.class)) {
                    third.forEach(Runnable::run);
                    await(() -> other.outcomes("executed") + other.outcomes("replayed") > 50);
                }
            }
            await(() -> shop.isAllAcknowledged());
            assertOneRowEach(shop);
            assertThat(shop.bean(KafkaApplication.GivenUp.class).all).isEmpty();
        }
    }

    /** Between its commit and its acknowledgment. */
    @Test
    void aConsumerMayDie() throws IOException, InterruptedException {
        List<String> properties = properties("dying");
        try (KafkaApplication shop =
                new KafkaApplication(withConcurrency(2, properties), Inbox.class, KafkaApplication.GivenUp.class)) {
            Process dying = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Dying.class.getName(),
                            shop.topic,
                            KafkaApplication.brokers(),
                            String.join("\n", withConcurrency(1, properties)))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            await(() -> shop.members() == 3);
            sendings(shop).forEach(third -> third.forEach(Runnable::run));
            assertThat(dying.waitFor()).isEqualTo(Dying.STATUS);
            await(() -> shop.isAllAcknowledged());
            assertOneRowEach(shop);
            assertThat(shop.bean(KafkaApplication.GivenUp.class).all).isEmpty();
            assertThat(shop.outcomes("replayed")).isPositive();
        }
    }

    static class Inbox {

        private final JdbcClient jdbc;

        Inbox(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @KafkaListener(topics = "${topic}")
        @Idempotent(header = "message-id")
        @Transactional
        public void ship(String order) {
            jdbc.sql("INSERT INTO shipment VALUES (?)").param(order).update();
        }
    }

    /** The application in a process of its own, which dies without a word after its thirtieth commit. */
    static class Dying {

        static final int STATUS = 137;

        public static void main(String[] arguments) {
            new KafkaApplication(
                    arguments[0], arguments[1], List.of(arguments[2].split("\n")), Inbox.class, Dying.class);
        }

        @Bean
        RecordInterceptor<Object, Object> death() {
            AtomicInteger handled = new AtomicInteger();
            return new RecordInterceptor<>() {

                @Override
                public ConsumerRecord<Object, Object> intercept(
                        ConsumerRecord<Object, Object> message, Consumer<Object, Object> consumer) {
                    return message;
                }

                @Override
                public void success(ConsumerRecord<Object, Object> message, Consumer<Object, Object> consumer) {
                    if (handled.incrementAndGet() == 30) {
                        Runtime.getRuntime().halt(STATUS);
                    }
                }
            };
        }
    }
}
