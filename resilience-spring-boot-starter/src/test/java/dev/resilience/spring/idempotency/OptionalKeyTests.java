package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.idempotency.CallerScope;
import dev.resilience.spring.idempotency.redis.TestRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.context.request.RequestContextHolder;
import reactor.core.publisher.Mono;

/** {@code @Idempotent(required = false)}: a call without a key runs unprotected, one with a key runs once. */
class OptionalKeyTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private final Outcomes outcomes = new Outcomes();

    /** Other tests may have left theirs on the thread. */
    @BeforeEach
    void forgetRequests() {
        RequestContextHolder.resetRequestAttributes();
    }

    private ApplicationContextRunner runner() {
        return IdempotentApplication.runner().withBean(Outcomes.class, () -> outcomes);
    }

    @Test
    void aCallWithoutAKeyRunsAsOftenAsItIsMade() {
        IdempotentApplication.with(runner(), Shop.class, shop -> {
            assertThat(shop.order(null)).isEqualTo(1);
            assertThat(shop.order(null)).isEqualTo(2);
            assertThat(shop.order("k")).isEqualTo(3);
            assertThat(shop.order("k")).isEqualTo(3);
            assertThat(outcomes.all())
                    .containsExactly(
                            IdempotencyOutcome.NO_KEY,
                            IdempotencyOutcome.NO_KEY,
                            IdempotencyOutcome.EXECUTED,
                            IdempotencyOutcome.REPLAYED);
        });
    }

    @Test
    void anEmptyOptionalIsNoKeyEither() {
        IdempotentApplication.with(runner(), Shop.class, shop -> {
            assertThat(shop.orderMaybe(Optional.empty())).isEqualTo(1);
            assertThat(shop.orderMaybe(Optional.empty())).isEqualTo(2);
            assertThat(shop.orderMaybe(Optional.of("k"))).isEqualTo(3);
            assertThat(shop.orderMaybe(Optional.of("k"))).isEqualTo(3);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb"})
    void anInvalidKeyIsRefusedAsEver(String key) {
        IdempotentApplication.with(
                runner(),
                Shop.class,
                shop -> assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                        .isThrownBy(() -> shop.order(key)));
    }

    @Test
    void anAsynchronousCallRunsUnprotectedToo() {
        IdempotentApplication.with(runner(), Shop.class, shop -> {
            assertThat(shop.orderLater(null)).isCompletedWithValue(1);
            assertThat(shop.orderLater(null)).isCompletedWithValue(2);
            assertThat(shop.orderLater("k")).isCompletedWithValue(3);
            assertThat(shop.orderLater("k")).isCompletedWithValue(3);
        });
    }

    @Test
    void neitherDoesItPassOnTheKeyOfTheCallAroundIt() {
        runner().withBean(Shop.class).withBean(Checkout.class).run(context -> {
            List<@Nullable String> seen = context.getBean(Checkout.class).checkOut("k");
            assertThat(seen).hasSize(3);
            assertThat(seen.get(0)).isNotNull().isEqualTo(seen.get(2));
            assertThat(seen.get(1)).isNull();
        });
    }

    /** Status 500 may come after the effect, and without a key nothing below can tell that it is there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fallback,idempotent,bulkhead,circuit-breaker,retry,time-limit",
                "fallback,retry,idempotent,bulkhead,circuit-breaker,time-limit"
            })
    void aCallWithoutAKeyIsNotRepeatedAfterStatus500(String order) {
        IdempotentApplication.with(runner().withPropertyValues("resilience.order=" + order), Shop.class, shop -> {
            boolean isInside = order.indexOf("idempotent") < order.indexOf("retry");
            assertThatExceptionOfType(HttpServerErrorException.class).isThrownBy(() -> shop.broken(null));
            assertThat(shop.calls()).hasValue(1);
            assertThatExceptionOfType(HttpServerErrorException.class)
                    .isThrownBy(() -> shop.brokenLater(null).block());
            assertThat(shop.calls()).hasValue(2);
            assertThatExceptionOfType(HttpServerErrorException.class).isThrownBy(() -> shop.broken("k"));
            assertThat(shop.calls()).hasValue(isInside ? 4 : 3);
            assertThatExceptionOfType(HttpServerErrorException.class)
                    .isThrownBy(() -> shop.brokenLater("k").block());
            assertThat(shop.calls()).hasValue(isInside ? 6 : 4);
        });
    }

    /** The keys of a token without a subject cannot be kept apart, which matters to keys alone. */
    @Test
    void whoCallsIsNotAsked() {
        CallerScope nameless = () -> {
            throw new IllegalStateException("the caller has no name");
        };
        IdempotentApplication.with(
                runner().withBean(CallerScope.class, () -> nameless),
                Shop.class,
                shop -> assertThat(shop.order(null)).isEqualTo(1));
    }

    @ParameterizedTest
    @EnumSource
    void aRequestWithoutTheHeaderRunsUnprotectedOnEveryStore(Stores store) {
        store.application(REDIS)
                .withPropertyValues("resilience.idempotency.default.scope=none")
                .withUserConfiguration(Requests.class)
                .run(context -> {
                    MockMvcTester mvc = MockMvcTester.from(context);
                    assertThat(mvc.post().uri("/orders")).hasStatusOk().hasBodyTextEqualTo("1");
                    assertThat(mvc.post().uri("/orders")).hasStatusOk().hasBodyTextEqualTo("2");
                    for (boolean replayed : new boolean[] {false, true}) {
                        MvcTestResult answer = mvc.post()
                                .uri("/orders")
                                .header("Idempotency-Key", "k")
                                .exchange();
                        assertThat(answer).hasStatusOk().hasBodyTextEqualTo("3");
                        assertThat(answer.getResponse().getHeader("Idempotency-Replayed"))
                                .isEqualTo(replayed ? "true" : null);
                    }
                    assertThat(mvc.post().uri("/orders").header("Idempotency-Key", ""))
                            .hasStatus(HttpStatus.BAD_REQUEST);
                    assertThat(mvc.post().uri("/orders").header("Idempotency-Key", "a", "b"))
                            .hasStatus(HttpStatus.BAD_REQUEST);
                });
    }

    static class Outcomes implements ResilienceListener {

        private final List<IdempotencyOutcome> all = new ArrayList<>();

        List<IdempotencyOutcome> all() {
            return all;
        }

        @Override
        public void onEvent(ResilienceEvent event) {
            if (event instanceof IdempotencyDecided decided) {
                all.add(decided.outcome());
            }
        }
    }

    static class Shop {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @Idempotent(key = "#key", required = false)
        int order(@Nullable String key) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key", required = false)
        int orderMaybe(Optional<String> key) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key", required = false)
        CompletableFuture<Integer> orderLater(@Nullable String key) {
            return CompletableFuture.completedFuture(calls.incrementAndGet());
        }

        @Retryable(maxAttempts = 2, delay = "0s")
        @Idempotent(key = "#key", required = false)
        String broken(@Nullable String key) {
            calls.incrementAndGet();
            throw new HttpServerErrorException(HttpStatus.INTERNAL_SERVER_ERROR);
        }

        @Retryable(maxAttempts = 2, delay = "0s")
        @Idempotent(key = "#key", required = false)
        Mono<String> brokenLater(@Nullable String key) {
            return Mono.fromSupplier(() -> broken(key));
        }

        @Idempotent(key = "#key", required = false)
        @Nullable
        String downstreamKey(@Nullable String key) {
            IdempotencyContext current = IdempotencyContext.current();
            return current == null ? null : current.downstreamKey();
        }
    }

    static class Checkout {

        private final ObjectProvider<Shop> shop;

        Checkout(ObjectProvider<Shop> shop) {
            this.shop = shop;
        }

        @Idempotent(key = "#key")
        List<@Nullable String> checkOut(String key) {
            List<@Nullable String> seen = new ArrayList<>();
            seen.add(own());
            seen.add(shop.getObject().downstreamKey(null));
            seen.add(own());
            return seen;
        }

        private static @Nullable String own() {
            IdempotencyContext current = IdempotencyContext.current();
            return current == null ? null : current.downstreamKey();
        }
    }

    @RestController
    static class Requests {

        private final AtomicInteger calls = new AtomicInteger();

        @PostMapping("/orders")
        @Idempotent(header = "Idempotency-Key", required = false)
        int order() {
            return calls.incrementAndGet();
        }
    }
}
