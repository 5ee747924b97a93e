package dev.resilience.spring.chaos;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceJdbcAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceTransactionAutoConfiguration;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** One instance of the application, with a pool of its own, and faults of its own on the way to the database. */
final class ShopNode implements AutoCloseable {

    static final Duration LEASE = Duration.ofMillis(200);
    static final Duration MAX_LEASE = Duration.ofMillis(450);
    static final Duration WAIT_TIMEOUT = Duration.ofMillis(300);

    private final FaultPlan plan;
    private final FaultyProxy proxy;
    private final HikariDataSource pool = new HikariDataSource();
    private final ConfigurableApplicationContext context;
    private final TransactionTemplate transaction;
    private final TransactionTemplate part;
    private final AtomicLong calls = new AtomicLong();

    ShopNode(Combination combination, History history, long seed, URI server, Class<?>... more) {
        this.plan = new FaultPlan(seed);
        this.proxy = new FaultyProxy(server.getPort(), plan);
        pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + proxy.port() + server.getPath()
                + "?sslmode=disable&prepareThreshold=0&socketTimeout=5&ApplicationName=" + combination.id());
        pool.setUsername("postgres");
        pool.setMaximumPoolSize(combination.poolSize());
        pool.setMinimumIdle(1);
        pool.setTransactionIsolation(combination.isolation().level());
        pool.setConnectionTimeout(2_000);
        pool.setValidationTimeout(1_000);
        this.context = started(combination, history, more);
        PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
        this.transaction = new TransactionTemplate(manager);
        this.part = new TransactionTemplate(manager);
        if (combination.manager() != Manager.JPA) { // which has no savepoints
            part.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        }
    }

    private ConfigurableApplicationContext started(Combination combination, History history, Class<?>... more) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class)
                .sources(combination.manager().configuration())
                .sources(more)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(properties(combination.id(), history))
                .initializers(starting -> {
                    GenericApplicationContext beans = (GenericApplicationContext) starting;
                    beans.registerBean(DataSource.class, () -> pool);
                    beans.registerBean(History.class, () -> history);
                });
        application.application().setListeners(List.of()); // of which one would set up the log again
        return application.run();
    }

    private static Map<String, Object> properties(String id, History history) {
        String idempotency = "resilience.idempotency.orders.";
        String retry = "resilience.retry.orders.";
        return Map.of(
                "resilience.idempotency-store.jdbc.initialize-schema",
                "always",
                "resilience.idempotency-store.jdbc.table-name",
                id,
                idempotency + "lease",
                LEASE,
                idempotency + "max-lease",
                MAX_LEASE,
                idempotency + "on-in-progress",
                history.seed() % 2 == 0 ? "wait" : "reject",
                idempotency + "wait-timeout",
                WAIT_TIMEOUT,
                retry + "max-attempts",
                4,
                retry + "backoff.base-delay",
                "2ms",
                retry + "backoff.max-delay",
                "20ms",
                retry + "budget",
                "none");
    }

    FaultPlan plan() {
        return plan;
    }

    String place(String key) {
        calls.incrementAndGet();
        return context.getBean(Orders.class).place(key);
    }

    /** Within a transaction of the caller's. */
    String placeWithin(String key) {
        return Objects.requireNonNull(transaction.execute(status -> place(key)));
    }

    /** Within a part of a transaction of the caller's, which commits the rest if that part fails. */
    String placeWithinPart(String key) {
        AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
        String value = transaction.execute(status -> {
            try {
                return part.execute(ofPart -> place(key));
            } catch (IdempotencyLeaseLostException | Orders.Declined failed) {
                failure.set(failed);
                return null;
            }
        });
        RuntimeException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
        return Objects.requireNonNull(value);
    }

    /** How many calls have not been counted yet, each of which has one outcome. */
    long uncounted() {
        Idempotency idempotency = Objects.requireNonNull(
                context.getBean(ResilienceRegistry.class).idempotencies().get("orders"));
        return calls.get() - idempotency.calls().total();
    }

    int connectionsTaken() {
        return pool.getHikariPoolMXBean().getActiveConnections();
    }

    @Override
    public void close() {
        plan.heal();
        context.close();
        pool.close();
        try {
            proxy.close();
        } catch (IOException gone) {
            // as is wanted
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        TransactionAutoConfiguration.class,
        ResilienceJdbcAutoConfiguration.class,
        ResilienceTransactionAutoConfiguration.class,
        ResilienceAutoConfiguration.class
    })
    static class Application {

        @Bean
        Orders orders(History history, Effects effects) {
            return new Orders(history, effects);
        }
    }
}
