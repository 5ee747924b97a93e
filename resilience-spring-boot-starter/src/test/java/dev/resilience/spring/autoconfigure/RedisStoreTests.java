package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.redis.RedisIdempotencyStore;
import dev.resilience.spring.idempotency.redis.TestRedis;
import dev.resilience.time.ManualTimeSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** When records are kept in Redis, and when not. */
class RedisStoreTests {

    private static final String TYPE = "resilience.idempotency-store.type=";

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private final ApplicationContextRunner withoutRedis = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    ResilienceAutoConfiguration.class,
                    ResilienceRedisAutoConfiguration.class))
            .withBean(Orders.class);

    private final ApplicationContextRunner withRedis = withoutRedis
            .withConfiguration(SortedOnce.of(DataRedisAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.port=" + REDIS.port());

    @BeforeEach
    void flush() {
        REDIS.flush();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", TYPE + "auto", TYPE + "redis", TYPE + "REDIS"})
    void itIsTakenWhereItIsThere(String type) {
        withRedis.withPropertyValues(type).run(context -> {
            assertThat(context.getBean(Orders.class).place("order-1")).isEqualTo("placed 1");
            assertThat(context.getBean(Orders.class).place("order-1")).isEqualTo("placed 1");

            assertThat(REDIS.keys()).singleElement().asString().startsWith("resilience:idempotency:{");
            assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
        });
    }

    @Test
    void instancesOfAnApplicationKnowEachOthersResults() {
        withRedis.run(context ->
                assertThat(context.getBean(Orders.class).place("order-1")).isEqualTo("placed 1"));
        withRedis.run(context -> {
            assertThat(context.getBean(Orders.class).place("order-1")).isEqualTo("placed 1");
            assertThat(context.getBean(Orders.class).placed()).isZero();
        });
    }

    @Test
    void itsKeysBeginWithThePrefix() {
        withRedis
                .withPropertyValues("resilience.idempotency-store.redis.key-prefix=shop:")
                .run(context -> {
                    context.getBean(Orders.class).place("order-1");

                    assertThat(REDIS.keys()).singleElement().asString().startsWith("shop:{");
                    assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
                });
    }

    @Test
    void memoryIsTakenWhereItIsAskedFor() {
        withRedis
                .withPropertyValues(TYPE + "memory")
                .run(context ->
                        assertThat(context.getBean(IdempotencyStore.class)).isInstanceOf(MemoryIdempotencyStore.class));
    }

    @Test
    void aStoreOfTheApplicationsOwnIsTakenBeforeIt() {
        withRedis
                .withBean(MemoryIdempotencyStore.class, () -> new MemoryIdempotencyStore(new ManualTimeSource()))
                .run(context -> assertThat(context)
                        .hasSingleBean(IdempotencyStore.class)
                        .doesNotHaveBean(RedisIdempotencyStore.class));
    }

    @Test
    void itIsNotThereWhereResilienceIsSwitchedOff() {
        withRedis
                .withPropertyValues("resilience.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(IdempotencyStore.class));
    }

    @Test
    void withoutConnectionsMemoryIsTakenAndWarnedOf() {
        withoutRedis.run(
                context -> assertThat(context.getBean(StartupWarnings.class).all())
                        .singleElement()
                        .asString()
                        .contains("remembered in this process only"));
        withoutRedis
                .withUserConfiguration(TwoServers.class)
                .run(context ->
                        assertThat(context.getBean(IdempotencyStore.class)).isInstanceOf(MemoryIdempotencyStore.class));
    }

    @Test
    void withoutConnectionsItCannotBeAskedFor() {
        assertFails(withoutRedis);
        assertFails(withoutRedis.withUserConfiguration(TwoServers.class));
        assertFails(withoutRedis.withClassLoader(new FilteredClassLoader("org.springframework.data")));
    }

    private static void assertFails(ApplicationContextRunner runner) {
        runner.withPropertyValues(TYPE + "redis")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(ResilienceConfigurationException.class, failure -> {
                            assertThat(failure)
                                    .hasMessageContaining("Property: resilience.idempotency-store.type")
                                    .hasMessageContaining("Value: redis");
                            assertThat(failure.action())
                                    .contains("a RedisConnectionFactory bean", "spring-boot-starter-data-redis");
                        }));
    }

    @Test
    void aPrefixMustNotHaveBraces() {
        withRedis
                .withPropertyValues("resilience.idempotency-store.redis.key-prefix={shop}:")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(ResilienceConfigurationException.class)
                        .hasMessageContaining("Property: resilience.idempotency-store.redis.key-prefix")
                        .hasMessageContaining("Value: {shop}:"));
    }

    /** The application starts, refuses what it cannot protect, and works when the server is there. */
    @Test
    void aServerThatIsDownDoesNotKeepTheApplicationFromStarting() {
        withRedis
                .withPropertyValues("spring.data.redis.port=1")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisIdempotencyStore.class));
    }

    public static class Orders {

        private final AtomicInteger placed = new AtomicInteger();

        public int placed() {
            return placed.get();
        }

        @Idempotent(key = "#order")
        public String place(String order) {
            return "placed " + placed.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoServers {

        @Bean
        LettuceConnectionFactory one() {
            return new LettuceConnectionFactory();
        }

        @Bean
        LettuceConnectionFactory another() {
            return new LettuceConnectionFactory();
        }
    }
}
