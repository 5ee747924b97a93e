package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.tck.ForwardingStore;
import dev.resilience.spring.Applications;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import reactor.core.publisher.Mono;

/** What is wrong with a caller's key is no failure of the callee: a fallback answers for it only where it lists it. */
class RefusedKeysAndFallbacksTests {

    enum Refusal {
        MISSING(IdempotencyKeyMissingException.class),
        INVALID(IdempotencyKeyInvalidException.class),
        REUSED(IdempotencyKeyReusedException.class),
        IN_PROGRESS(IdempotencyInProgressException.class),
        OUTCOME_UNKNOWN(IdempotencyOutcomeUnknownException.class);

        private final Class<? extends ResilienceException> type;

        Refusal(Class<? extends ResilienceException> type) {
            this.type = type;
        }

        private @Nullable String key() {
            return switch (this) {
                case MISSING -> null;
                case INVALID -> "";
                default -> name();
            };
        }
    }

    enum Call {
        VALUE,
        FUTURE,
        MONO;

        private String of(Orders orders, @Nullable String key) {
            return switch (this) {
                case VALUE -> orders.place(key);
                case FUTURE -> orders.placeLater(key).join();
                case MONO -> String.valueOf(orders.placeReactive(key).block());
            };
        }
    }

    /** Answers to the keys that are named like it. */
    static final class ScriptedStore extends ForwardingStore {

        private volatile Claim answer = new Claim.Executed();

        ScriptedStore() {
            super(new MemoryIdempotencyStore(TimeSource.system()));
        }

        @Override
        public Claim claim(ClaimRequest request) {
            return answer;
        }

        private void answer(Refusal refusal) {
            answer = switch (refusal) {
                case REUSED -> new Claim.KeyReused();
                case IN_PROGRESS -> new Claim.InProgress(Duration.ofSeconds(1));
                default -> new Claim.Abandoned();
            };
        }
    }

    static class Orders {

        @Fallback("later")
        @Idempotent(key = "#key")
        public String place(@Nullable String key) {
            return "placed";
        }

        @Fallback("futureLater")
        @Idempotent(key = "#key")
        public CompletableFuture<String> placeLater(@Nullable String key) {
            return CompletableFuture.completedFuture("placed");
        }

        @Fallback("later")
        @Idempotent(key = "#key")
        public Mono<String> placeReactive(@Nullable String key) {
            return Mono.just("placed");
        }

        @Fallback(value = "later", on = Exception.class)
        @Idempotent(key = "#key")
        public String placeWithAll(@Nullable String key) {
            return "placed";
        }

        @Fallback(
                value = "later",
                on = {
                    IdempotencyKeyMissingException.class,
                    IdempotencyKeyInvalidException.class,
                    IdempotencyKeyReusedException.class,
                    IdempotencyInProgressException.class,
                    IdempotencyOutcomeUnknownException.class
                })
        @Idempotent(key = "#key")
        public String placeWithList(@Nullable String key) {
            return "placed";
        }

        @Fallback("later")
        public String failWith(RuntimeException failure) {
            throw failure;
        }

        String later() {
            return "later";
        }

        CompletableFuture<String> futureLater() {
            return CompletableFuture.completedFuture("later");
        }
    }

    private static void with(Refusal refusal, IdempotentApplication.ContextConsumer<Orders> use) {
        ScriptedStore store = new ScriptedStore();
        store.answer(refusal);
        IdempotentApplication.with(
                IdempotentApplication.runner().withBean(ScriptedStore.class, () -> store), Orders.class, use);
    }

    @ParameterizedTest
    @EnumSource
    void comeThrough(Refusal refusal) {
        with(refusal, orders -> {
            for (Call call : Call.values()) {
                assertThat(unwrapped(() -> call.of(orders, refusal.key())))
                        .as(call.name())
                        .isInstanceOf(refusal.type);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void comeThroughAFallbackForAllExceptions(Refusal refusal) {
        with(
                refusal,
                orders -> assertThat(unwrapped(() -> orders.placeWithAll(refusal.key())))
                        .isInstanceOf(refusal.type));
    }

    @ParameterizedTest
    @EnumSource
    void areAnsweredWhereTheyAreListed(Refusal refusal) {
        with(refusal, orders -> assertThat(orders.placeWithList(refusal.key())).isEqualTo("later"));
    }

    @Test
    void otherRefusalsAreAnswered() {
        Applications.with(
                Orders.class,
                (orders, callee) -> assertThat(orders.failWith(new IdempotencyStoreException("down", null)))
                        .isEqualTo("later"));
    }

    @Test
    void aReusedKeyIs422OverHttp() {
        IdempotentApplication.web()
                .withPropertyValues("resilience.idempotency-store.type=memory")
                .withBean(Payments.class)
                .run(context -> {
                    MockMvcTester mvc =
                            MockMvcTester.from((WebApplicationContext) context.getSourceApplicationContext());

                    assertThat(mvc.post()
                                    .uri("/payments")
                                    .header("Idempotency-Key", "k")
                                    .content("1 EUR"))
                            .hasBodyTextEqualTo("paid 1 EUR");
                    assertThat(mvc.post()
                                    .uri("/payments")
                                    .header("Idempotency-Key", "k")
                                    .content("2 EUR"))
                            .hasStatus(422);
                    assertThat(mvc.post().uri("/payments").content("1 EUR")).hasStatus(400);
                });
    }

    @RestController
    static class Payments {

        @PostMapping("/payments")
        @Fallback("accepted")
        @Idempotent(header = "Idempotency-Key")
        public String pay(@RequestBody String amount) {
            return "paid " + amount;
        }

        String accepted() {
            return "accepted";
        }
    }

    @Test
    void aFallbackMethodThatTakesOneIsWarnedOfWhereItIsNotListed() {
        List<String> warnings = Applications.warnings(Picky.class);

        assertThat(warnings)
                .singleElement()
                .asString()
                .contains(
                        Picky.class.getName() + ".running(",
                        "is never called",
                        "list that refusal in 'on'",
                        "[fallback-never-called]");
    }

    static class Picky {

        @Fallback("running")
        @Idempotent(key = "#key")
        public String place(String key) {
            return "placed";
        }

        String running(IdempotencyInProgressException refusal) {
            return "running";
        }

        @Fallback(value = "known", on = IdempotencyInProgressException.class)
        @Idempotent(key = "#key")
        public String order(String key) {
            return "placed";
        }

        String known(IdempotencyInProgressException refusal) {
            return "running";
        }
    }

    private static @Nullable Throwable unwrapped(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        return thrown instanceof CompletionException ? thrown.getCause() : thrown;
    }
}
