package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class BulkheadMetersTests {

    @Test
    void theGaugesShowWhoRunsAndWhoWaits() {
        runner().run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.sell();
            shop.sell();
            shop.sell();

            assertThat(gauge(context, "running")).isEqualTo(1);
            assertThat(gauge(context, "queued")).isEqualTo(2);
            assertThat(gauge(context, "limit")).isEqualTo(1);

            shop.started().get(0).complete("sold");
            assertThat(gauge(context, "running")).isEqualTo(1);
            assertThat(gauge(context, "queued")).isEqualTo(1);
            shop.started().get(1).complete("sold");
            shop.started().get(2).complete("sold"); // the end of the application waits for it
        });
    }

    @Test
    void callsAreCountedByHowTheyWereReceived() {
        runner().run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.sell();
            shop.sell();
            shop.sell();
            shop.sell();
            assertThat(calls(context)).isEqualTo(Map.of("accepted", 1, "rejected", 1));

            context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(30));

            assertThat(calls(context)).isEqualTo(Map.of("accepted", 1, "rejected", 1, "timed_out", 2));
        });
    }

    @Test
    void theTimerMeasuresTheWaitOfThoseWhoWait() {
        runner().run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.sell();
            shop.sell();
            context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(7));
            assertThat(waits(context).count()).isZero();

            shop.started().get(0).complete("sold");

            assertThat(waits(context).count()).isEqualTo(1);
            assertThat(waits(context).totalTime(TimeUnit.SECONDS)).isEqualTo(7);
            shop.started().get(1).complete("sold"); // the end of the application waits for it
        });
    }

    @Test
    void theTimerMeasuresAWaitInVainToo() {
        runner().run(context -> {
            context.getBean(Shop.class).sell();
            context.getBean(Shop.class).sell();
            context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(40));

            assertThat(waits(context).count()).isEqualTo(1);
            assertThat(waits(context).totalTime(TimeUnit.SECONDS)).isEqualTo(30);
        });
    }

    /** It begins at 20, and calls that begin to queue in the callee lower it. */
    @Test
    void theLimitOfAnAdaptiveOneIsTheOneThatHoldsNow() {
        ApplicationContextRunner adaptive = Meters.application(Shop.class)
                .withPropertyValues(
                        "resilience.bulkhead.default.type=adaptive", "resilience.bulkhead.default.max-concurrent=100");
        adaptive.run(context -> {
            Shop shop = context.getBean(Shop.class);
            ManualTimeSource time = context.getBean(ManualTimeSource.class);
            assertThat(gauge(context, "limit")).isEqualTo(20);
            for (int made = 0; made < 20 + 50; made++) {
                shop.sell();
            }

            for (int ended = 0; ended < 10_000; ended++) { // one after the other
                time.advance(Duration.ofMillis(50));
                shop.started().get(ended).complete("sold");
                shop.sell();
            }

            assertThat(gauge(context, "limit")).isBetween(1.0, 5.0);
            for (int left = 10_000; left < shop.started().size(); left++) {
                shop.started().get(left).complete("sold"); // the end of the application waits for it
            }
        });
    }

    private static ApplicationContextRunner runner() {
        return Meters.application(Shop.class)
                .withPropertyValues(
                        "resilience.bulkhead.default.max-concurrent=1", "resilience.bulkhead.default.max-queue=2");
    }

    private static double gauge(AssertableApplicationContext context, String which) {
        return Meters.of(context).gauge("resilience.bulkhead." + which, "name", "default");
    }

    private static Map<String, Integer> calls(AssertableApplicationContext context) {
        return Meters.of(context).countsBy("outcome", "resilience.bulkhead.calls", "name", "default");
    }

    private static Timer waits(AssertableApplicationContext context) {
        return Meters.of(context).timer("resilience.bulkhead.wait", "name", "default");
    }

    static class Shop {

        private final List<CompletableFuture<String>> started = new ArrayList<>();

        List<CompletableFuture<String>> started() {
            return started;
        }

        @Bulkhead("default")
        public CompletableFuture<String> sell() {
            CompletableFuture<String> sale = new CompletableFuture<>();
            started.add(sale);
            return sale;
        }
    }
}
