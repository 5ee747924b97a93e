package dev.resilience.spring.autoconfigure;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.deadletter.DeadLetterMethods;
import dev.resilience.spring.deadletter.DeadLetters;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

/** An application that is processed ahead of time and run in processes of their own. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    AopAutoConfiguration.class,
    DataRedisAutoConfiguration.class,
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class,
    ResilienceAutoConfiguration.class,
    ResilienceJdbcAutoConfiguration.class,
    ResilienceTransactionAutoConfiguration.class,
    ResilienceRedisAutoConfiguration.class,
    TransactionAutoConfiguration.class
})
@Import(AheadOfTimeShop.Orders.class)
class AheadOfTimeShop {

    /** Begins the one line that the test reads. */
    static final String ANSWER = "shop> ";

    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(AheadOfTimeShop.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            Orders orders = context.getBean(Orders.class);
            System.out.println(ANSWER + AotDetector.useGeneratedArtifacts() + " "
                    + context.getBean(IdempotencyStore.class).getClass().getSimpleName() + " " + orders.place("k") + " "
                    + orders.place("k") + " "
                    + context.getBean(StartupWarnings.class).all() + " " + replayed(context, orders));
        }
    }

    private static String replayed(ConfigurableApplicationContext context, Orders orders) {
        try {
            orders.send(new Order(7, List.of("line")));
        } catch (ConnectException expected) {
            // its letter is kept
        }
        DeadLetters letters = context.getBean(LiveRegistry.class)
                .<KeepingRetry>ofKind("retry")
                .get("kept")
                .letters();
        String id = letters.list(1).get(0).letter().id();
        return context.getBean(DeadLetterStore.class).getClass().getSimpleName() + " "
                + letters.replay(id, context.getBean(DeadLetterMethods.class)).result() + " " + orders.sent();
    }

    record Order(int number, List<String> lines) {}

    static class Orders {

        private final AtomicInteger calls = new AtomicInteger();
        private final List<Order> sent = new ArrayList<>();

        @Retryable("kept")
        void send(Order order) throws ConnectException {
            sent.add(order);
            if (sent.size() == 1) {
                throw new ConnectException("down");
            }
        }

        List<Order> sent() {
            return sent;
        }

        @Idempotent(key = "#key")
        @Transactional
        Order place(String key) {
            return new Order(calls.incrementAndGet(), List.of(key));
        }
    }
}
