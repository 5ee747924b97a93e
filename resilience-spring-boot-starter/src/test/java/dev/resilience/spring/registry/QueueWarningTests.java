package dev.resilience.spring.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Little's law: what is served within the queue's timeout is that time times the permits, divided by the duration of a call. */
class QueueWarningTests {

    private static final Duration CALL = Duration.ofMillis(100);

    private final ApplicationContextRunner application = Applications.plain(Shop.class)
            .withPropertyValues(
                    "resilience.bulkhead.shop.max-concurrent=1", "resilience.bulkhead.shop.queue-timeout=1s");

    @Test
    void aQueueThatIsLongerThanWhatIsServedInItsTimeoutIsAWarning() {
        application.withPropertyValues("resilience.bulkhead.shop.max-queue=40").run(context -> {
            StartupWarnings warnings = context.getBean(StartupWarnings.class);
            sell(context, 50);
            assertThat(warnings.all()).isEmpty(); // too few to know

            sell(context, 100);

            assertThat(warnings.all())
                    .singleElement()
                    .asString()
                    .contains("'resilience.bulkhead.shop.max-queue' is 40", "only 10 calls", "takes 0.1 s")
                    .endsWith("[queue-too-long] (docs/warnings.md#queue-too-long)");
            sell(context, 20);
            assertThat(warnings.all()).hasSize(1);
            end(context);
        });
    }

    @Test
    void aQueueThatIsServedInTimeIsNone() {
        application.withPropertyValues("resilience.bulkhead.shop.max-queue=10").run(context -> {
            sell(context, 200);

            assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
            end(context);
        });
    }

    /** So many calls of 100 ms, one after the other, while nine others wait. */
    private static void sell(ApplicationContext application, int calls) throws InterruptedException {
        Shop shop = application.getBean(Shop.class);
        dev.resilience.bulkhead.Bulkhead bulkhead =
                application.getBean(ResilienceRegistry.class).bulkhead("shop");
        for (int call = 0; call < calls; call++) {
            while (bulkhead.queued() < 9) {
                shop.sell();
            }
            CompletableFuture<String> running = shop.running().poll(10, TimeUnit.SECONDS);
            application.getBean(ManualTimeSource.class).advance(CALL);
            assertThat(running).isNotNull();
            running.complete("");
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> bulkhead.queued() == 8 && !shop.running().isEmpty());
        }
    }

    /** Otherwise the application waits at its end for those that wait. */
    private static void end(ApplicationContext application) throws InterruptedException {
        dev.resilience.bulkhead.Bulkhead bulkhead =
                application.getBean(ResilienceRegistry.class).bulkhead("shop");
        while (bulkhead.running() > 0) {
            application.getBean(Shop.class).running().take().complete("");
        }
    }

    static class Shop {

        private final BlockingQueue<CompletableFuture<String>> running = new LinkedBlockingQueue<>();

        @Bulkhead("shop")
        public CompletionStage<String> sell() {
            CompletableFuture<String> call = new CompletableFuture<>();
            running.add(call);
            return call;
        }

        BlockingQueue<CompletableFuture<String>> running() {
            return running;
        }
    }
}
