package dev.resilience.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.pipeline.ThrowingSupplier;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Lazy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class ObservedCallsTests {

    private final Recorded recorded = new Recorded();

    /** How a method returns its result. */
    enum CallMode {
        NOW,
        LATER,
        MONO;

        /** The observation of the method. */
        @Override
        public String toString() {
            return "Shop." + name().toLowerCase(Locale.ROOT);
        }
    }

    private void with(Applications.Use<Shop> use) {
        recorded.application(Shop.class)
                .withPropertyValues(
                        "resilience.circuit-breaker.shop.failure-threshold=2",
                        "resilience.time-limit.shop.time()out=5s",
                        "resilience.time-limit.worker.thread=worker",
                        "resilience.bulkhead.one.max-concurrent=1",
                        "resilience.bulkhead.one.max-queue=1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.with(context.getBean(Shop.class), context.getBean(Callee.class));
                });
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatSucceedsAtOnceIsOneObservation(CallMode mode) {
        with((shop, callee) -> {
            assertThat(shop.buy(mode)).isEqualTo("answer 1");

            assertThat(recorded.lines()).containsExactly("start " + mode, "event attempt 1", "stop " + mode);
            assertThat(recorded.keys())
                    .containsOnly(
                            entry("code.function.name", Shop.class.getPackageName() + ".ObservedCallsTests$" + mode),
                            entry("kind", "retry"),
                            entry("policy", "three"),
                            entry("outcome", "success"),
                            entry("attempts", "1"));
        });
    }

    @ParameterizedTest
    @EnumSource
    void attemptsAndTheWaitsBetweenThemAreEventsInTheirOrder(CallMode mode) {
        with((shop, callee) -> {
            callee.failNext(2);

            assertThat(shop.buy(mode)).isEqualTo("answer 3");

            assertThat(recorded.lines())
                    .containsExactly(
                            "start " + mode,
                            "event attempt 1",
                            "event retry three: wait for attempt 2 after java.net.ConnectException",
                            "event attempt 2",
                            "event retry three: wait for attempt 3 after java.net.ConnectException",
                            "event attempt 3",
                            "stop " + mode);
            assertThat(recorded.keys()).contains(entry("outcome", "success"), entry("attempts", "3"));
            assertThat(recorded.keys()).doesNotContainKey("error.type");
        });
    }

    @ParameterizedTest
    @EnumSource
    void aFailureIsTheErrorOfTheObservation(CallMode mode) {
        with((shop, callee) -> {
            callee.failNext(3);

            assertThatThrownBy(() -> shop.buy(mode)).isInstanceOf(ConnectException.class);

            assertThat(recorded.keys())
                    .contains(
                            entry("outcome", "failure"),
                            entry("attempts", "3"),
                            entry("error.type", "java.net.ConnectException"));
            assertThat(recorded.ended().get(0).getError()).isInstanceOf(ConnectException.class);
        });
    }

    @ParameterizedTest
    @EnumSource
    void theObservationIsCurrentInEachAttemptAndAChildOfTheCallers(CallMode mode) {
        with((shop, callee) -> {
            callee.failNext(2);
            Observation own = Observation.createNotStarted("own", recorded.registry())
                    .contextualName("own")
                    .start();

            own.scoped(() -> {
                try {
                    shop.buy(mode);
                } catch (Throwable unexpected) {
                    throw new AssertionError(unexpected);
                }
                assertThat(recorded.current()).isEqualTo("own");
            });
            own.stop();

            assertThat(shop.seen()).hasSize(3).containsOnly(mode.toString());
            assertThat(Recorded.parent(recorded.ended().get(0))).isEqualTo("own");
            assertThat(recorded.current()).isNull();
        });
    }

    @Test
    void aTransitionAndTheRefusalsBehindItAreEvents() {
        with((shop, callee) -> {
            callee.failNext(2);
            assertThatThrownBy(shop::checked).isInstanceOf(ConnectException.class);
            assertThatThrownBy(shop::checked).isInstanceOf(ConnectException.class);
            assertThatThrownBy(shop::checked).isInstanceOf(CircuitOpenException.class);

            assertThat(recorded.events())
                    .containsExactly(
                            "attempt 1",
                            "attempt 1",
                            "circuit-breaker shop: closed to open",
                            "circuit-breaker shop: rejected");
            assertThat(Recorded.keys(recorded.ended().get(2)))
                    .contains(
                            entry("outcome", "rejected"),
                            entry("attempts", "0"),
                            entry("error.type", CircuitOpenException.class.getName()));
        });
    }

    @ParameterizedTest
    @EnumSource
    void theAnswerOfAFallbackIsNoSuccess(CallMode mode) {
        with((shop, callee) -> {
            callee.failNext(3);

            assertThat(shop.buyOrElse(mode)).isEqualTo("nothing");

            assertThat(recorded.keys())
                    .contains(entry("outcome", "fallback"), entry("attempts", "3"), entry("kind", "fallback,retry"));
            assertThat(recorded.keys()).doesNotContainKey("error.type");
        });
    }

    @Test
    void aReplayIsNoAttempt() {
        with((shop, callee) -> {
            shop.pay("key");
            shop.pay("key");

            assertThat(recorded.ended())
                    .extracting(Recorded::keys)
                    .extracting(keys -> keys.get("outcome") + " " + keys.get("attempts"))
                    .containsExactly("success 1", "replayed 0");
            assertThat(recorded.ended().toString()).doesNotContain("key\"");
        });
    }

    @Test
    void aTimeLimitThatEndsAStageReportsItThere() {
        with((shop, callee) -> {
            CompletableFuture<String> call = shop.limited();
            shop.time().advance(Duration.ofSeconds(5));

            assertThatThrownBy(call::join).hasCauseInstanceOf(TimeLimitExceededException.class);
            assertThat(recorded.events()).containsExactly("attempt 1", "time-limit shop: timed_out");
            assertThat(recorded.keys()).contains(entry("outcome", "timed_out"), entry("attempts", "1"));
        });
    }

    /** The thread that grants a permit works for another call of the same policy. */
    @Test
    void aWaitInTheQueueIsAnEventOfTheCallThatWaited() {
        with((shop, callee) -> {
            CompletableFuture<String> first = shop.queued();
            CompletableFuture<String> second = shop.queued();
            CompletableFuture<String> third = shop.queued();
            assertThatThrownBy(third::join).hasMessageContaining("1 call runs and 1 waits");

            shop.pending().get(0).complete("first");
            first.join();
            Awaitility.await().until(() -> shop.pending().size() == 2);
            shop.pending().get(1).complete("second");
            second.join();

            assertThat(recorded.ended())
                    .extracting(Recorded::eventsOf)
                    .containsExactlyInAnyOrder(
                            List.of("attempt 1"),
                            List.of("bulkhead one: rejected"),
                            List.of("bulkhead one: waited, accepted", "attempt 1"));
        });
    }

    @Test
    void aCallThatItsCallerCancelsIsCancelled() {
        with((shop, callee) -> {
            CompletableFuture<String> call = shop.queued();
            call.cancel(true);

            assertThat(call).isCancelled();
            assertThat(shop.pending().get(0)).isCancelled();
            assertThat(recorded.keys()).contains(entry("outcome", "cancelled"), entry("attempts", "1"));
        });
    }

    @Test
    void aSubscriptionThatIsCancelledIsCancelledAndOneThatHasItsValueIsNot() {
        with((shop, callee) -> {
            shop.never().subscribe().dispose();
            assertThat(recorded.keys()).contains(entry("outcome", "cancelled"));
            recorded.ended().clear();

            shop.numbers().take(1).blockLast();
            assertThat(recorded.keys()).contains(entry("outcome", "success"));
        });
    }

    @Test
    void theObservationHasEndedWhenTheCallersContinuationRuns() {
        with((shop, callee) -> {
            List<Integer> ended = new ArrayList<>();
            CompletableFuture<String> call = shop.queued();
            call.thenRun(() -> ended.add(recorded.ended().size()));

            shop.pending().get(0).complete("done");

            assertThat(ended).containsExactly(1);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aCallInsideIsAChildAndItsEventsAreItsOwn(CallMode mode) {
        with((shop, callee) -> {
            callee.failNext(1);

            shop.outer(() -> shop.buy(mode));

            assertThat(recorded.events())
                    .containsExactly(
                            "attempt 1",
                            "attempt 1",
                            "retry three: wait for attempt 2 after java.net.ConnectException",
                            "attempt 2");
            assertThat(recorded.ended())
                    .extracting(context -> context.getContextualName() + " in " + Recorded.parent(context))
                    .containsExactly(mode.toString() + " in Shop.outer", "Shop.outer in null");
            assertThat(Recorded.keys(recorded.ended().get(1))).contains(entry("attempts", "1"));
        });
    }

    @Test
    void aWorkerThreadHasTheObservationToo() {
        with((shop, callee) -> {
            assertThat(shop.onWorker()).isEqualTo("Shop.onWorker");
            assertThat(recorded.keys()).contains(entry("outcome", "success"), entry("attempts", "1"));
        });
    }

    @Test
    void reactiveCodeFindsTheObservationInItsContextAndTheCallersIsItsParent() {
        with((shop, callee) -> {
            Observation own = Observation.createNotStarted("own", recorded.registry())
                    .contextualName("own")
                    .start();

            String found = shop.contextual()
                    .contextWrite(context -> context.put("micrometer.observation", own))
                    .block();
            own.stop();

            assertThat(found).isEqualTo("Shop.contextual");
            assertThat(Recorded.parent(recorded.ended().get(0))).isEqualTo("own");
        });
    }

    static class Shop {

        @Autowired
        private Callee callee;

        @Autowired
        private ManualTimeSource time;

        @Autowired
        private ObservationRegistry registry;

        @Autowired
        @Lazy
        private Shop self;

        private final List<String> seen = new ArrayList<>();
        private final List<CompletableFuture<String>> pending = new CopyOnWriteArrayList<>();

        List<String> seen() {
            return seen;
        }

        List<CompletableFuture<String>> pending() {
            return pending;
        }

        ManualTimeSource time() {
            return time;
        }

        String buy(CallMode mode) throws Throwable {
            return result(mode, self::now, self::later, self::mono);
        }

        String buyOrElse(CallMode mode) throws Throwable {
            return result(mode, self::orElse, self::futureOrElse, self::monoOrElse);
        }

        private String result(
                CallMode mode,
                ThrowingSupplier<String, Exception> blocking,
                Supplier<CompletableFuture<String>> future,
                Supplier<Mono<String>> mono)
                throws Throwable {
            if (mode == CallMode.NOW) {
                return blocking.get();
            }
            CompletableFuture<String> begun =
                    mode == CallMode.LATER ? future.get() : mono.get().toFuture();
            time.advance(Duration.ofSeconds(10));
            try {
                return begun.join();
            } catch (CompletionException failed) {
                throw failed.getCause();
            }
        }

        private void look() {
            Observation current = registry.getCurrentObservation();
            seen.add(current == null ? "none" : current.getContext().getContextualName());
        }

        @Retryable("three")
        public String now() throws ConnectException {
            look();
            return callee.call();
        }

        @Retryable("three")
        public CompletableFuture<String> later() {
            look();
            return callee.callAsync();
        }

        @Retryable("three")
        public Mono<String> mono() {
            look();
            return Mono.fromFuture(callee.callAsync());
        }

        @Fallback("nothing")
        @Retryable("three")
        public String orElse() throws ConnectException {
            return callee.call();
        }

        @Fallback("laterNothing")
        @Retryable("three")
        public CompletableFuture<String> futureOrElse() {
            return callee.callAsync();
        }

        @Fallback("monoOfNothing")
        @Retryable("three")
        public Mono<String> monoOrElse() {
            return Mono.fromFuture(callee.callAsync());
        }

        String nothing() {
            return "nothing";
        }

        CompletableFuture<String> laterNothing() {
            return CompletableFuture.completedFuture("nothing");
        }

        Mono<String> monoOfNothing() {
            return Mono.just("nothing");
        }

        @CircuitBreaker("shop")
        public String checked() throws ConnectException {
            return callee.call();
        }

        @Idempotent(key = "#key")
        public String pay(String key) throws ConnectException {
            return callee.call();
        }

        @TimeLimit("shop")
        public CompletableFuture<String> limited() {
            return new CompletableFuture<>();
        }

        @TimeLimit("worker")
        public @Nullable String onWorker() {
            return registry.getCurrentObservation().getContext().getContextualName();
        }

        @Bulkhead("one")
        public CompletableFuture<String> queued() {
            CompletableFuture<String> result = new CompletableFuture<>();
            pending.add(result);
            return result;
        }

        @Retryable("three")
        public Mono<String> never() {
            return Mono.never();
        }

        @Retryable("three")
        public Flux<Integer> numbers() {
            return Flux.range(1, 9);
        }

        @Retryable("three")
        public Mono<String> contextual() {
            return Mono.deferContextual(context -> Mono.just(context.<Observation>get("micrometer.observation")
                    .getContext()
                    .getContextualName()));
        }

        @Retryable("two")
        public void outer(ThrowingCallable inside) throws Throwable {
            inside.call();
        }
    }
}
