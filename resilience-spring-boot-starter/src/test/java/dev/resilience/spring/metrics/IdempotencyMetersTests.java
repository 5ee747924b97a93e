package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.tck.ForwardingStore;
import dev.resilience.spring.Callee;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class IdempotencyMetersTests {

    @Test
    void aFirstCallIsExecutedAndASecondReplayed() {
        runner().run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.order("key", 1);
            shop.order("key", 1);
            shop.order("key", 1);

            assertThat(calls(context)).isEqualTo(Map.of("executed", 1, "replayed", 2));
        });
    }

    @Test
    void anotherPayloadIsKeyReused() {
        runner().run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.order("key", 1);
            assertThatThrownBy(() -> shop.order("key", 2)).isInstanceOf(IdempotencyKeyReusedException.class);

            assertThat(calls(context)).isEqualTo(Map.of("executed", 1, "key_reused", 1));
        });
    }

    @Test
    void aFailedCallIsReleased() {
        runner().run(context -> {
            context.getBean(Callee.class).failNext(1);
            assertThatThrownBy(() -> context.getBean(Shop.class).order("key", 1))
                    .isInstanceOf(ConnectException.class);

            assertThat(calls(context)).isEqualTo(Map.of("released", 1));
        });
    }

    @Test
    void aCallBesideARunningOneIsInProgress() {
        runner().run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.orderLater("key");
            assertThat(shop.orderLater("key"))
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(IdempotencyInProgressException.class);
            assertThat(calls(context)).isEqualTo(Map.of("in_progress", 1));

            shop.started().get(0).complete("done");
            assertThat(calls(context)).isEqualTo(Map.of("in_progress", 1, "executed", 1));
        });
    }

    @Test
    void aCallInPlaceOfADeadOwnerIsTakenOver() {
        runner().withBean(DeadOwner.class).run(context -> {
            context.getBean(Shop.class).order("key", 1);
            assertThat(calls(context)).isEqualTo(Map.of("taken_over", 1));
        });
    }

    @Test
    void aDeadOwnersKeyThatNobodyMayTakeIsOutcomeUnknown() {
        runner().withBean(DeadOwner.class)
                .withPropertyValues("resilience.idempotency.default.on-abandoned=reject")
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Shop.class).order("key", 1))
                            .isInstanceOf(IdempotencyOutcomeUnknownException.class);
                    assertThat(calls(context)).isEqualTo(Map.of("outcome_unknown", 1));
                });
    }

    @Test
    void aCallThatWasOvertakenIsLeaseLost() {
        runner().withPropertyValues(
                        "resilience.idempotency.default.lease=30s", "resilience.idempotency.default.max-lease=60s")
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    CompletableFuture<String> answer = shop.orderLater("key");
                    context.getBean(ManualTimeSource.class).advance(Duration.ofMinutes(5));
                    shop.orderLater("key");
                    shop.started().get(1).complete("by another");

                    shop.started().get(0).complete("late");

                    assertThat(answer).isCompletedWithValue("late");
                    assertThat(calls(context)).isEqualTo(Map.of("taken_over", 1, "lease_lost", 1));
                });
    }

    @Test
    void aCallWithoutAStoreIsAStoreFailureWhetherItRunsOrNot() {
        runner().withBean(BrokenStore.class).run(context -> {
            assertThatThrownBy(() -> context.getBean(Shop.class).order("key", 1))
                    .isInstanceOf(IdempotencyStoreException.class);
            assertThat(calls(context)).isEqualTo(Map.of("store_failure", 1));
        });
        runner().withBean(BrokenStore.class)
                .withPropertyValues("resilience.idempotency.default.on-store-failure=fail-open")
                .run(context -> {
                    assertThat(context.getBean(Shop.class).order("key", 1)).isEqualTo("answer 1");
                    assertThat(calls(context)).isEqualTo(Map.of("store_failure", 1));
                });
    }

    @Test
    void aCallWithoutAKeyThatItNeedsNotHaveIsNoKey() {
        runner().run(context -> {
            context.getBean(Shop.class).orderWithoutKey(null);

            assertThat(calls(context)).isEqualTo(Map.of("no_key", 1));
        });
    }

    private static ApplicationContextRunner runner() {
        return Meters.application(Shop.class);
    }

    private static Map<String, Integer> calls(AssertableApplicationContext context) {
        return Meters.of(context).countsBy("outcome", "resilience.idempotency.calls", "name", "default");
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Idempotent(key = "#key")
        public String order(String key, int amount) throws ConnectException {
            return callee.call();
        }

        @Idempotent(key = "#key", required = false)
        public String orderWithoutKey(@Nullable String key) throws ConnectException {
            return callee.call();
        }

        private final List<CompletableFuture<String>> started = new ArrayList<>();

        List<CompletableFuture<String>> started() {
            return started;
        }

        @Idempotent(key = "#key")
        public CompletableFuture<String> orderLater(String key) {
            CompletableFuture<String> order = new CompletableFuture<>();
            started.add(order);
            return order;
        }
    }

    /** A store in which somebody claimed every key and died. */
    static class DeadOwner extends ForwardingStore {

        private final ManualTimeSource time;

        DeadOwner() {
            this(new ManualTimeSource());
        }

        private DeadOwner(ManualTimeSource time) {
            super(new MemoryIdempotencyStore(time));
            this.time = time;
        }

        @Override
        public Claim claim(ClaimRequest request) {
            super.claim(new ClaimRequest(
                    request.key(),
                    "dead",
                    request.fingerprint(),
                    Duration.ofSeconds(1),
                    request.ttl(),
                    request.takeOver()));
            time.advance(Duration.ofSeconds(2));
            return super.claim(request);
        }
    }

    static class BrokenStore extends ForwardingStore {

        BrokenStore() {
            super(new MemoryIdempotencyStore(new ManualTimeSource()));
        }

        @Override
        public Claim claim(ClaimRequest request) {
            throw new IllegalStateException("down");
        }
    }
}
