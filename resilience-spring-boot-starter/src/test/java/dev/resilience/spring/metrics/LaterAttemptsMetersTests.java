package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The threads on which later attempts of asynchronous calls run, in real time. */
@Timeout(60)
class LaterAttemptsMetersTests {

    @Test
    void showHowManyThreadsAreBusyAndHowManyCallsWaitForOne() {
        new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        ResilienceAutoConfiguration.class,
                        ResilienceMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withBean(Shop.class)
                .withPropertyValues(
                        "resilience.async.max-threads=1",
                        "resilience.retry.default.backoff.base-delay=1ms",
                        "resilience.idempotency-store.type=memory")
                .run(context -> {
                    Meters meters = Meters.of(context);
                    Shop shop = context.getBean(Shop.class);
                    List<CompletableFuture<String>> calls = Stream.generate(() -> shop.sell(new int[1]))
                            .limit(3)
                            .toList();

                    await().until(() -> meters.gauge("resilience.retry.queued", "name", "default") == 2);
                    assertThat(meters.gauge("resilience.retry.workers", "name", "default"))
                            .isEqualTo(1);

                    shop.open();
                    assertThat(calls).allSatisfy(call -> assertThat(call).succeedsWithin(Duration.ofSeconds(30)));
                    await().until(() -> meters.gauge("resilience.retry.workers", "name", "default") == 0);
                });
    }

    static class Shop {

        private final CountDownLatch open = new CountDownLatch(1);

        void open() {
            open.countDown();
        }

        @Retryable("default")
        public CompletableFuture<String> sell(int[] attempts) {
            if (++attempts[0] == 1) {
                return CompletableFuture.failedFuture(new ConnectException("refused"));
            }
            try {
                open.await();
            } catch (InterruptedException interrupted) {
                return CompletableFuture.failedFuture(interrupted);
            }
            return CompletableFuture.completedFuture("sold");
        }
    }
}
