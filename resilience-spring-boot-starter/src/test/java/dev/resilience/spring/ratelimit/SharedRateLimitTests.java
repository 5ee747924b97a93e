package dev.resilience.spring.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.ratelimit.RateLimit;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.ratelimit.RateLimitStore;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceJdbcAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceRedisAutoConfiguration;
import dev.resilience.spring.idempotency.redis.TestRedis;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Limits that several processes share, in an application. */
public class SharedRateLimitTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withBean(Partner.class)
            .withPropertyValues("resilience.rate-limit.partner.permits=3", "resilience.rate-limit.partner.period=1h")
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    ResilienceAutoConfiguration.class,
                    ResilienceJdbcAutoConfiguration.class,
                    ResilienceRedisAutoConfiguration.class));

    private final ApplicationContextRunner onRedis = runner.withPropertyValues(
                    "resilience.rate-limit.partner.store=redis")
            .withBean(RedisConnectionFactory.class, REDIS::connections);

    private final ApplicationContextRunner onH2 = runner.withPropertyValues("resilience.rate-limit.partner.store=jdbc")
            .withConfiguration(SortedOnce.of(DataSourceAutoConfiguration.class));

    @Test
    void twoApplicationsShareALimitInRedis() {
        REDIS.flush();
        onRedis.run(one -> onRedis.run(other -> {
            Partner first = one.getBean(Partner.class);
            Partner second = other.getBean(Partner.class);
            assertThat(first.call() + second.call() + first.callLater().join()).isEqualTo("abcabcabc");
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(first::call)
                    .satisfies(refused ->
                            assertThat(refused.retryAfter()).isBetween(Duration.ofMinutes(19), Duration.ofMinutes(20)));
            assertThat(second.callMono().materialize().block().getThrowable())
                    .isInstanceOf(RateLimitExceededException.class);
            assertThat(other.getBean(ResilienceRegistry.class)
                            .get(RateLimit.class, "partner")
                            .store())
                    .containsEntry("state", "up")
                    .containsEntry("nodes", 1); // of one process
        }));
    }

    @Test
    void aLimitInTheDatabaseIsSharedWhateverOtherStoresAre() {
        onH2.withPropertyValues("resilience.idempotency-store.type=memory").run(context -> {
            Partner partner = context.getBean(Partner.class);
            assertThat(partner.call()
                            + partner.callLater().join()
                            + partner.callMono().block())
                    .isEqualTo("abcabcabc");
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(partner::call);
        });
    }

    @Test
    void aMissingTableFailsTheStartupAndSaysWhatMakesIt() {
        onH2.withPropertyValues(
                        "resilience.rate-limit-store.jdbc.initialize-schema=never",
                        "resilience.rate-limit-store.jdbc.table-name=limits_of_others")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(
                                "Rate limits have 'store: jdbc', and the table 'limits_of_others' for their permits is missing")
                        .rootCause()
                        .isInstanceOfSatisfying(
                                ResilienceConfigurationException.class,
                                cause -> assertThat(cause.action())
                                        .contains("'resilience.rate-limit-store.jdbc.initialize-schema: always'")
                                        .contains("CREATE TABLE IF NOT EXISTS limits_of_others")));
    }

    @Test
    void aStoreThatTheApplicationDoesNotHaveFailsTheStartup() {
        runner.withPropertyValues("resilience.rate-limit.partner.store=redis")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("resilience.rate-limit.partner.store")
                        .hasStackTraceContaining("RedisConnectionFactory")
                        .hasStackTraceContaining("'org.springframework.boot:spring-boot-starter-data-redis'"));
        runner.withPropertyValues("resilience.rate-limit.partner.store=jdbc")
                .withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class, JdbcTemplate.class))
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("resilience.rate-limit.partner.store")
                        .hasStackTraceContaining("'org.springframework.boot:spring-boot-starter-jdbc'"));
    }

    @Test
    void aCallThatMustNotBlockDoesNotWaitForTheStore() {
        CountDownLatch answer = new CountDownLatch(1);
        runner.withPropertyValues("resilience.rate-limit.partner.store=redis")
                .withBean(RateLimitStore.class, () -> new SlowStore(answer))
                .run(context -> {
                    Partner partner = context.getBean(Partner.class);
                    CompletableFuture<String> later = partner.callLater();
                    CompletableFuture<String> mono = partner.callMono()
                            .subscribeOn(Schedulers.parallel())
                            .toFuture();
                    CompletableFuture<Integer> next = Mono.fromCallable(() -> 1)
                            .repeat(20)
                            .subscribeOn(Schedulers.parallel())
                            .then(Mono.just(1))
                            .toFuture();
                    assertThat(next.get()).isEqualTo(1);
                    assertThat(later).isNotDone();
                    assertThat(mono).isNotDone();
                    answer.countDown();
                    assertThat(later.get() + mono.get()).isEqualTo("abcabc");
                });
    }

    @Test
    void aCallThatIsCancelledWhileTheStoreIsAskedDoesNotRun() {
        CountDownLatch answer = new CountDownLatch(1);
        runner.withPropertyValues("resilience.rate-limit.partner.store=redis")
                .withBean(RateLimitStore.class, () -> new SlowStore(answer))
                .run(context -> {
                    CompletableFuture<String> later =
                            context.getBean(Partner.class).callLater();
                    later.cancel(true);
                    answer.countDown();
                    assertThat(context.getBean(Partner.class).call()).isEqualTo("abc");
                    assertThat(later).isCancelled();
                });
    }

    public static class Partner {

        @dev.resilience.annotation.RateLimit("partner")
        public String call() {
            return "abc";
        }

        @dev.resilience.annotation.RateLimit("partner")
        public CompletableFuture<String> callLater() {
            return CompletableFuture.completedFuture("abc");
        }

        @dev.resilience.annotation.RateLimit("partner")
        public Mono<String> callMono() {
            return Mono.just("abc");
        }
    }

    private record SlowStore(CountDownLatch answer) implements RateLimitStore {

        @Override
        public RateLimitPolicy.Store type() {
            return RateLimitPolicy.Store.REDIS;
        }

        @Override
        public Answer take(Request request) {
            try {
                answer.await();
            } catch (InterruptedException stopped) {
                throw new IllegalStateException(stopped);
            }
            return new Answer(request.wanted(), 0);
        }

        @Override
        public int nodes(String limit, String node) {
            return 1;
        }
    }
}
