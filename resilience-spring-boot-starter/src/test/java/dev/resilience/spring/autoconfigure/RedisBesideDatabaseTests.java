package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.jdbc.JdbcIdempotencyStore;
import dev.resilience.spring.idempotency.redis.RedisIdempotencyStore;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;

/** Redis comes first, though it cannot promise what the database could: that is said. */
class RedisBesideDatabaseTests {

    private static final String TYPE = "resilience.idempotency-store.type=";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    ResilienceRedisAutoConfiguration.class,
                    ResilienceJdbcAutoConfiguration.class,
                    ResilienceTransactionAutoConfiguration.class,
                    ResilienceAutoConfiguration.class))
            .withBean(DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:beside;DB_CLOSE_DELAY=-1"));

    @Test
    void aTransactionalMethodIsWarnedOf() {
        application.withBean(Transactions.class).run(context -> {
            assertThat(context.getBean(IdempotencyStore.class)).isInstanceOf(RedisIdempotencyStore.class);
            assertThat(context.getBean(StartupWarnings.class).all())
                    .singleElement()
                    .asString()
                    .contains("Transactions.pay(", "type: jdbc", "[redis-beside-database]");
        });
    }

    @Test
    void anotherMethodIsNot() {
        application
                .withBean(Others.class)
                .run(context ->
                        assertThat(context.getBean(StartupWarnings.class).all()).isEmpty());
    }

    @Test
    void norIsWhatSomebodyHasDecided() {
        application
                .withBean(Transactions.class)
                .withPropertyValues(TYPE + "redis")
                .run(context ->
                        assertThat(context.getBean(StartupWarnings.class).all()).isEmpty());
        application
                .withBean(Transactions.class)
                .withPropertyValues(TYPE + "jdbc")
                .run(context -> {
                    assertThat(context.getBean(IdempotencyStore.class)).isInstanceOf(JdbcIdempotencyStore.class);
                    assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
                });
    }

    static class Transactions {

        @Idempotent(key = "#key")
        @Transactional
        String pay(String key) {
            return key;
        }
    }

    static class Others {

        @Idempotent(key = "#key")
        String pay(String key) {
            return key;
        }
    }
}
