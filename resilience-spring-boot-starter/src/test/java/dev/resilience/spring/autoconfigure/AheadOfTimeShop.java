package dev.resilience.spring.autoconfigure;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.StartupWarnings;
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
                    + context.getBean(StartupWarnings.class).all());
        }
    }

    record Order(int number, List<String> lines) {}

    static class Orders {

        private final AtomicInteger calls = new AtomicInteger();

        @Idempotent(key = "#key")
        @Transactional
        Order place(String key) {
            return new Order(calls.incrementAndGet(), List.of(key));
        }
    }
}
