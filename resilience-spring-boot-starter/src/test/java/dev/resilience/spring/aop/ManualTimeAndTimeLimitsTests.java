package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.TimeLimit;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.spring.Applications;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/testing.md says of time limits. */
class ManualTimeAndTimeLimitsTests {

    @ParameterizedTest
    @ValueSource(strings = {"caller", "worker"})
    void aBodyThatMovesTheTimeBeyondItsLimitIsGivenUp(String thread) {
        Applications.plain(Shop.class)
                .withPropertyValues("resilience.time-limit.default.thread=" + thread)
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);

                    assertThat(shop.work(Duration.ofSeconds(4))).isEqualTo("done");
                    assertThatThrownBy(() -> shop.work(Duration.ofSeconds(6)))
                            .isInstanceOf(TimeLimitExceededException.class);
                    assertThat(Thread.interrupted()).isFalse();
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"caller", "worker"})
    void aBodyThatBlocksIsInterruptedWhenAnotherThreadMovesTheTime(String thread) {
        Applications.plain(Shop.class)
                .withPropertyValues("resilience.time-limit.default.thread=" + thread)
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    CompletableFuture<Void> call = CompletableFuture.runAsync(shop::block);
                    shop.blocked().await();
                    assertThat(call).isNotDone();

                    context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(5));

                    await().until(call::isCompletedExceptionally);
                    assertThat(call)
                            .failsWithin(Duration.ofSeconds(30))
                            .withThrowableThat()
                            .withCauseInstanceOf(TimeLimitExceededException.class);
                });
    }

    static class Shop {

        private final ManualTimeSource time;
        private final CountDownLatch blocked = new CountDownLatch(1);

        Shop(ManualTimeSource time) {
            this.time = time;
        }

        /** Asked through the proxy, which has no fields. */
        CountDownLatch blocked() {
            return blocked;
        }

        @TimeLimit("default")
        public String work(Duration duration) {
            time.advance(duration);
            return "done";
        }

        @TimeLimit("default")
        public void block() {
            blocked.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
