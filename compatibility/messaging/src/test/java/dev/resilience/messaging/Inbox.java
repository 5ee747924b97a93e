package dev.resilience.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.Idempotency;
import dev.resilience.spring.ResilienceRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.h2.tools.Server;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.function.ThrowingSupplier;

/**
 * Messages that are sent one to five times each, in any order, and the database in which each has one row, however many processes
 * handle them.
 */
final class Inbox implements AutoCloseable {

    /** A thousand with {@code -Plong}. */
    static final int MESSAGES = "long".equals(System.getProperty("stress")) ? 1_000 : 100;

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final Server server;
    private final String url;

    /** What is to be sent: the id of a message for each time. */
    final List<String> sendings;

    Inbox() {
        server = ThrowingSupplier.of(() ->
                        Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start())
                .get();
        url = "jdbc:h2:tcp://localhost:" + server.getPort() + "/mem:inbox" + DATABASES.incrementAndGet()
                + ";DB_CLOSE_DELAY=-1";
        List<String> all = new ArrayList<>();
        for (int message = 0; message < MESSAGES; message++) {
            all.addAll(Collections.nCopies(1 + message % 5, "m" + message));
        }
        Collections.shuffle(all, new Random(29));
        sendings = List.copyOf(all);
    }

    /** Of applications that write into the database. */
    List<String> properties(String... more) {
        List<String> all = new ArrayList<>(List.of(
                "spring.datasource.url=" + url,
                "spring.datasource.hikari.initialization-fail-timeout=-1", // H2 may fail one while others end: once
                // more
                "spring.sql.init.mode=always",
                "resilience.idempotency-store.type=jdbc",
                "resilience.idempotency-store.jdbc.initialize-schema=always",
                "resilience.idempotency.default.lease=1s"));
        all.addAll(List.of(more));
        return all;
    }

    List<String> rows() {
        return JdbcClient.create(new DriverManagerDataSource(url))
                .sql("SELECT id FROM shipment")
                .query(String.class)
                .list();
    }

    /** How many deliveries an application has handled; can be asked after its end too. */
    static LongSupplier handled(ConfigurableApplicationContext application) {
        Idempotency policy = application.getBean(ResilienceRegistry.class).get(Idempotency.class, "default");
        return () -> policy.calls().byLabel().get("executed")
                + policy.calls().byLabel().get("replayed");
    }

    void assertOneRowEach() {
        assertThat(rows()).hasSize(MESSAGES).doesNotHaveDuplicates();
    }

    @Override
    public void close() {
        server.stop();
    }

    /** What a listener does with a message. */
    abstract static class Shipping {

        private final JdbcClient jdbc;
        private final ObjectProvider<DyingProcess.Death> death;

        Shipping(JdbcClient jdbc, ObjectProvider<DyingProcess.Death> death) {
            this.jdbc = jdbc;
            this.death = death;
        }

        void ship(String order) {
            jdbc.sql("INSERT INTO shipment VALUES (?)").param(order).update();
            death.ifAvailable(known -> known.onShipment(order));
        }
    }
}
