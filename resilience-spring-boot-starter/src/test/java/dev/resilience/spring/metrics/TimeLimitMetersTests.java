package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.TimeLimit;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class TimeLimitMetersTests {

    @Test
    void callsAreCountedByHowTheyEnded() {
        runner("caller").run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.sell(Duration.ofSeconds(4));
            shop.sell(Duration.ofSeconds(4));
            assertThatThrownBy(() -> shop.sell(Duration.ofSeconds(5))).isInstanceOf(TimeLimitExceededException.class);

            assertThat(calls(context)).isEqualTo(Map.of("in_time", 2, "timed_out", 1));
            assertThat(workers(context)).isZero();
        });
    }

    @Test
    void aBodyThatDoesNotEndIsVisibleInTheGauge() {
        runner("worker").run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThatThrownBy(shop::hang).isInstanceOf(TimeLimitExceededException.class);

            assertThat(calls(context)).isEqualTo(Map.of("timed_out", 1));
            assertThat(workers(context)).isEqualTo(1);

            shop.letGo();

            await().until(() -> workers(context) == 0);
            assertThat(calls(context)).isEqualTo(Map.of("timed_out", 1));
        });
    }

    private static ApplicationContextRunner runner(String thread) {
        return Meters.application(Shop.class).withPropertyValues("resilience.time-limit.default.thread=" + thread);
    }

    private static double workers(AssertableApplicationContext context) {
        return Meters.of(context).gauge("resilience.timelimit.workers", "name", "default");
    }

    private static Map<String, Integer> calls(AssertableApplicationContext context) {
        return Meters.of(context).countsBy("outcome", "resilience.timelimit.calls", "name", "default");
    }

    static class Shop {

        private final CountDownLatch latch = new CountDownLatch(1);
        private final ManualTimeSource time;

        Shop(ManualTimeSource time) {
            this.time = time;
        }

        void letGo() {
            latch.countDown();
        }

        @TimeLimit("default")
        public void sell(Duration takes) {
            time.advance(takes);
        }

        @TimeLimit("default")
        public void hang() {
            time.advance(Duration.ofSeconds(5));
            while (latch.getCount() > 0) {
                try {
                    latch.await();
                } catch (InterruptedException ignored) {
                    // a body that does not care
                }
            }
        }
    }
}
