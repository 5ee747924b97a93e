package dev.resilience.spring.idempotency.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.ResilienceException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceJdbcAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceTransactionAutoConfiguration;
import dev.resilience.time.TimeSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * An application in a process of its own, to be stopped, killed and raced with others. Takes orders from standard input,
 * one a line, and answers on standard output.
 */
final class Node {

    /** Begins every answer: other lines are the log's. */
    static final String ANSWER = "node> ";

    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private Node() {}

    public static void main(String[] arguments) throws Exception {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            Orders orders = context.getBean(Orders.class);
            say("ready");
            for (String line = INPUT.readLine(); line != null; line = INPUT.readLine()) {
                String[] words = line.split(" ", -1);
                switch (words[0]) {
                    case "call" -> say(call(() -> orders.place(words[1], words[2])));
                    case "call-patiently" -> say(call(() -> orders.placePatiently(words[1], words[2])));
                    case "call-at-least-once" -> say(call(() -> orders.placeAtLeastOnce(words[1], words[2])));
                    case "call-at-most-once" -> say(call(() -> orders.placeAtMostOnce(words[1], words[2])));
                    case "storm" -> say(storm(orders, Integer.parseInt(words[1]), Integer.parseInt(words[2])));
                    default -> throw new IllegalArgumentException(line);
                }
            }
        }
    }

    private static void say(String answer) {
        System.out.println(ANSWER + answer);
        System.out.flush();
    }

    private static String call(Supplier<String> call) {
        try {
            return "returned " + call.get();
        } catch (RuntimeException failure) {
            return "threw " + failure.getClass().getSimpleName();
        }
    }

    /**
     * Many threads call with keys in an order of their own until every call has its result. Each takes a fourth of the keys,
     * so that each key is called by a fourth of the threads.
     */
    private static String storm(Orders orders, int threads, int keys) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int share = i % 4;
            Random random = new Random(i);
            running.add(pool.submit(() -> callAll(orders, keys, share, random)));
        }
        for (Future<?> thread : running) {
            thread.get();
        }
        pool.shutdown();
        return "done";
    }

    private static void callAll(Orders orders, int keys, int share, Random random) {
        List<Integer> order = new ArrayList<>();
        for (int key = share; key < keys; key += 4) {
            order.add(key);
        }
        Collections.shuffle(order, random);
        for (int key : order) {
            boolean answered = false;
            while (!answered) {
                try {
                    orders.place("key " + key, random.nextInt(8) == 0 ? "past-the-lease" : "nowhere");
                    answered = true;
                } catch (ResilienceException refused) { // in progress elsewhere, or the lease was lost
                    LockSupport.parkNanos(random.nextInt(20_000_000));
                }
            }
        }
    }

    interface Orders {

        String place(String key, String stopAt);

        String placePatiently(String key, String stopAt);

        String placeAtLeastOnce(String key, String stopAt);

        String placeAtMostOnce(String key, String stopAt);
    }

    static class AnnotatedOrders implements Orders {

        private final Effect effect;

        AnnotatedOrders(Effect effect) {
            this.effect = effect;
        }

        @Override
        @Idempotent(value = "orders", key = "#key")
        @Transactional
        public String place(String key, String stopAt) {
            return effect.order(key, stopAt);
        }

        @Override
        @Idempotent(value = "patient", key = "#key")
        @Transactional
        public String placePatiently(String key, String stopAt) {
            return effect.order(key, stopAt);
        }

        @Override
        @Idempotent(value = "at-least-once", key = "#key")
        public String placeAtLeastOnce(String key, String stopAt) {
            return effect.order(key, stopAt);
        }

        @Override
        @Idempotent(value = "at-most-once", key = "#key")
        public String placeAtMostOnce(String key, String stopAt) {
            return effect.order(key, stopAt);
        }
    }

    /** The same without annotations. */
    record OrdersFromCode(ResilienceRegistry registry, TransactionOperations transaction, Effect effect)
            implements Orders {

        @Override
        public String place(String key, String stopAt) {
            return transaction.execute(status -> call("orders", key, stopAt));
        }

        @Override
        public String placePatiently(String key, String stopAt) {
            return transaction.execute(status -> call("patient", key, stopAt));
        }

        @Override
        public String placeAtLeastOnce(String key, String stopAt) {
            return call("at-least-once", key, stopAt);
        }

        @Override
        public String placeAtMostOnce(String key, String stopAt) {
            return call("at-most-once", key, stopAt);
        }

        private String call(String policy, String key, String stopAt) {
            return registry.idempotency(policy).call(key, String.class, () -> effect.order(key, stopAt));
        }
    }

    /** Does what is to be done once: inserts a row, without a constraint that would hide a second one. */
    record Effect(JdbcTemplate jdbc) {

        String order(String key, String stopAt) {
            reach("before-the-effect", stopAt);
            jdbc.update("INSERT INTO effects (name) VALUES (?)", key);
            reach("after-the-effect", stopAt);
            if (stopAt.equals("past-the-lease")) {
                LockSupport.parkNanos(400_000_000);
            }
            if (stopAt.equals("before-the-commit")) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        reach("before-the-commit", stopAt);
                    }
                });
            }
            return "order " + key;
        }

        /** Says that it has come there and waits for a word. */
        private static void reach(String point, String stopAt) {
            if (!point.equals(stopAt)) {
                return;
            }
            say("at " + point);
            try {
                INPUT.readLine();
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        ResilienceJdbcAutoConfiguration.class,
        ResilienceTransactionAutoConfiguration.class,
        ResilienceAutoConfiguration.class
    })
    static class Application {

        @Bean
        DataSource dataSource(Environment environment) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(environment.getRequiredProperty("node.url"));
            pool.setUsername(environment.getRequiredProperty("node.user"));
            pool.setMaximumPoolSize(24);
            return pool;
        }

        @Bean
        TimeSource timeSource(@Value("${node.clock-offset:0}") Duration offset) {
            return new OffsetTimeSource(TimeSource.system(), offset);
        }

        @Bean
        @ConditionalOnBooleanProperty(name = "node.from-code", havingValue = false, matchIfMissing = true)
        AnnotatedOrders orders(JdbcTemplate jdbc) {
            return new AnnotatedOrders(new Effect(jdbc));
        }

        @Bean
        @ConditionalOnBooleanProperty("node.from-code")
        OrdersFromCode ordersFromCode(
                ResilienceRegistry registry, TransactionOperations transaction, JdbcTemplate jdbc) {
            return new OrdersFromCode(registry, transaction, new Effect(jdbc));
        }
    }
}
