package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.tck.ForwardingStore;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceActuatorAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.AbstractListAssert;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What an overview begins with, beside what circuit breakers, bulkheads and retries add to it. */
class PoliciesInTroubleTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    SortedOnce.of(ResilienceAutoConfiguration.class, ResilienceActuatorAutoConfiguration.class))
            .withBean(ManualTimeSource.class)
            .withBean(Receipts.class)
            .withBean(IdempotencyStore.class, StoreOfTheTest::new)
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=*",
                    "resilience.time-limit.slow.thread=worker",
                    "resilience.idempotency.receipts.ttl=1h");

    @Test
    void aTimeLimitIsInTroubleWhileAllItsWorkersAreBusy() {
        application.run(context -> {
            TimeLimit slow = context.getBean(ResilienceRegistry.class).timeLimit("slow");
            Pipeline limited = Pipeline.of(slow);
            CompletableFuture<String> hanging = new CompletableFuture<>();
            try {
                startHanging(limited, 199, hanging);
                await().until(slow::workers, busy -> busy == 199);
                trouble(context).isEmpty();

                startHanging(limited, 1, hanging);
                await().until(slow::workers, busy -> busy == 200);
                trouble(context).containsExactly("time-limit/slow");
            } finally {
                hanging.complete("late");
            }
            await().until(slow::workers, busy -> busy == 0);
            trouble(context).isEmpty();
        });
    }

    private static void startHanging(Pipeline limited, int calls, CompletableFuture<String> hanging) {
        for (int i = 0; i < calls; i++) {
            limited.callAsync(() -> {
                hanging.join();
                return hanging;
            });
        }
    }

    @Test
    void idempotencyIsInTroubleWhileItsStoreDoesNotAnswer() {
        application.run(context -> {
            StoreOfTheTest store = context.getBean(StoreOfTheTest.class);
            Receipts receipts = context.getBean(Receipts.class);
            receipts.pay("1");
            trouble(context).isEmpty();

            store.isDown = true;
            assertThatThrownBy(() -> receipts.pay("2")).isInstanceOf(IdempotencyStoreException.class);
            context.getBean(ResilienceEndpoint.class)
                    .act(
                            "idempotency",
                            "receipts",
                            null,
                            "{\"ttl\": \"2h\"}",
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null);
            trouble(context).containsExactly("idempotency/receipts");

            store.isDown = false;
            receipts.pay("3");
            trouble(context).isEmpty();
        });
    }

    @Test
    void idempotencyIsInTroubleWhenACallMeetsAnUnknownOutcome() {
        application.run(context -> {
            context.getBean(StoreOfTheTest.class).isAbandoned = true;

            assertThatThrownBy(() -> context.getBean(Receipts.class).pay("1"))
                    .isInstanceOf(IdempotencyOutcomeUnknownException.class);

            trouble(context).containsExactly("idempotency/receipts");
        });
    }

    private static AbstractListAssert<?, List<?>, Object, ?> trouble(ApplicationContext context) {
        Map<String, Object> all = context.getBean(ResilienceEndpoint.class).resilience();
        return assertThat(all.get("trouble")).asInstanceOf(InstanceOfAssertFactories.LIST);
    }

    static class Receipts {

        @Idempotent(value = "receipts", key = "#key")
        public String pay(String key) {
            return "paid " + key;
        }
    }

    private static final class StoreOfTheTest extends ForwardingStore {

        private volatile boolean isDown;
        private volatile boolean isAbandoned;

        StoreOfTheTest() {
            super(new MemoryIdempotencyStore(new ManualTimeSource()));
        }

        @Override
        public Claim claim(ClaimRequest request) {
            if (isDown) {
                throw new IllegalStateException("down");
            }
            return isAbandoned ? new Claim.Abandoned() : super.claim(request);
        }
    }
}
