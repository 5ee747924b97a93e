package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.deadletter.StoredLetter.State;
import dev.resilience.event.DeadLetterOutcome;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import dev.resilience.time.ManualTimeSource;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Mono;

/** Which calls are kept, and how they are made again. */
class KeptCallsTests {

    record Item(String name, BigDecimal price, Instant at) {}

    static class Shop {

        static final List<Object> MADE = new ArrayList<>();

        @Autowired
        Callee callee;

        @Autowired
        ApplicationContext context;

        @Retryable("kept")
        public String order(String id, int count, List<Item> items, Map<String, Long> notes, @Nullable Item none)
                throws ConnectException {
            String answer = callee.call();
            MADE.add(List.of(id, count, items, notes, none == null));
            return answer;
        }

        @Retryable("kept")
        public CompletableFuture<String> later(String id) {
            return callee.callAsync();
        }

        @Retryable("kept")
        public Mono<String> reactive(String id) {
            return Mono.fromCallable(callee::call);
        }

        @Fallback("queued")
        @Retryable("kept")
        public String withFallback(String id) throws ConnectException {
            return callee.call();
        }

        String queued(String id) {
            return "queued";
        }

        @Retryable("three")
        public String nested(String id) throws ConnectException {
            return context.getBean(Shop.class).order(id, 1, List.of(), Map.of(), null);
        }

        @Retryable("kept")
        public String permanent(String id) {
            callee.calls();
            throw new IllegalArgumentException("no such order");
        }

        @Retryable("asking")
        public String asking(String id) throws ConnectException {
            return callee.call();
        }

        @CircuitBreaker("open")
        @Retryable("kept")
        public String broken(String id) throws ConnectException {
            return callee.call();
        }
    }

    private static ApplicationContextRunner shop() {
        Shop.MADE.clear();
        return Applications.plain(Shop.class)
                .withPropertyValues(
                        "resilience.retry.kept.dead-letter=true",
                        "resilience.retry.asking.dead-letter=true",
                        "resilience.retry.asking.retry-on-result=#result != 'answer 5'",
                        "resilience.circuit-breaker.open.initial-state=forced-open",
                        "resilience.dead-letter-store.type=memory");
    }

    private static DeadLetters letters(ApplicationContext context, String policy) {
        return context.getBean(LiveRegistry.class)
                .<KeepingRetry>ofKind("retry")
                .get(policy)
                .letters();
    }

    private static StoredLetter only(ApplicationContext context) {
        List<StoredLetter> stored = context.getBean(DeadLetterStore.class).list("kept", 10);
        assertThat(stored).hasSize(1);
        return stored.get(0);
    }

    private static @Nullable Replayed replay(ApplicationContext context) {
        return letters(context, "kept").replay(only(context).letter().id(), context.getBean(DeadLetterMethods.class));
    }

    @Test
    void aCallThatRanOutOfRetriesIsKeptAndMadeAgainWithItsArguments() {
        shop().run(context -> {
            Callee callee = context.getBean(Callee.class).failNext(3);
            Item tea = new Item("tea", new BigDecimal("1.10"), Instant.parse("2026-11-22T22:18:00.123456789Z"));

            assertThatThrownBy(() -> context.getBean(Shop.class)
                            .order("A-1", 2, List.of(tea), Map.of("n", Long.MAX_VALUE), null))
                    .isInstanceOf(ConnectException.class)
                    .hasMessage("call 3 refused");

            StoredLetter stored = only(context);
            assertThat(stored.state()).isEqualTo(State.WAITING);
            assertThat(stored.letter().bean()).isEqualTo(context.getBeanNamesForType(Shop.class)[0]);
            assertThat(stored.letter().attempts()).isEqualTo(3);
            assertThat(stored.letter().failure().type()).isEqualTo(ConnectException.class.getName());
            assertThat(letters(context, "kept").size()).isEqualTo(1);

            assertThat(replay(context)).extracting(Replayed::result).isEqualTo(Replayed.Result.SUCCEEDED);

            assertThat(callee.calls()).isEqualTo(4);
            assertThat(Shop.MADE).containsExactly(List.of("A-1", 2, List.of(tea), Map.of("n", Long.MAX_VALUE), true));
            assertThat(letters(context, "kept").size()).isZero();
            assertThat(letters(context, "kept").calls().byLabel())
                    .containsEntry("stored", 1L)
                    .containsEntry("replayed", 1L);
        });
    }

    @Test
    void aReplayThatFailsIsRetriedAndMakesNoSecondLetter() {
        shop().run(context -> {
            Callee callee = context.getBean(Callee.class).failNext(6);
            assertThatThrownBy(() -> context.getBean(Shop.class).order("A", 1, List.of(), Map.of(), null))
                    .isInstanceOf(ConnectException.class);

            Replayed failed = Objects.requireNonNull(replay(context));

            assertThat(failed.result()).isEqualTo(Replayed.Result.FAILED);
            assertThat(failed.failure()).hasMessage("call 6 refused");
            assertThat(callee.calls()).as("the replay has its retries").isEqualTo(6);
            assertThat(only(context).state()).isEqualTo(State.FAILED);
            assertThat(only(context).replays()).isEqualTo(1);
            assertThat(letters(context, "kept").calls().get(DeadLetterOutcome.REPLAY_FAILED))
                    .isEqualTo(1);
        });
    }

    @Test
    void asynchronousCallsAreKeptTooBeforeTheirCallersHear() {
        shop().run(context -> {
            Callee callee = context.getBean(Callee.class).failNext(3);
            CompletableFuture<String> later = context.getBean(Shop.class).later("A");
            context.getBean(ManualTimeSource.class).advance(Duration.ofMinutes(1));

            assertThatThrownBy(later::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(ConnectException.class);
            only(context);

            callee.failNext(3);
            CompletableFuture<Replayed> replayed = CompletableFuture.supplyAsync(() -> replay(context));
            ManualTimeSource time = context.getBean(ManualTimeSource.class);
            while (!replayed.isDone()) {
                time.advance(Duration.ofSeconds(5));
            }
            assertThat(replayed.join().result()).isEqualTo(Replayed.Result.FAILED);
            assertThat(replay(context).result()).isEqualTo(Replayed.Result.SUCCEEDED);
        });
    }

    @Test
    void aMonoIsKeptAndSubscribedToAgain() {
        shop().run(context -> {
            Callee callee = context.getBean(Callee.class).failNext(3);
            CompletableFuture<String> answer =
                    context.getBean(Shop.class).reactive("A").toFuture();
            context.getBean(ManualTimeSource.class).advance(Duration.ofMinutes(1));
            assertThatThrownBy(answer::join).hasCauseInstanceOf(ConnectException.class);

            assertThat(replay(context).result()).isEqualTo(Replayed.Result.SUCCEEDED);

            assertThat(callee.calls()).isEqualTo(4);
            assertThat(letters(context, "kept").size()).isZero();
        });
    }

    @Test
    void theFallbackAnswersTheCallerAndDoesNotHideThatAReplayFailed() {
        shop().run(context -> {
            Callee callee = context.getBean(Callee.class).failNext(6);

            assertThat(context.getBean(Shop.class).withFallback("A")).isEqualTo("queued");

            assertThat(replay(context).result()).isEqualTo(Replayed.Result.FAILED);
            assertThat(replay(context).result()).isEqualTo(Replayed.Result.SUCCEEDED);
            assertThat(callee.calls()).isEqualTo(7);
        });
    }

    @Test
    void aCallInsideOfAnotherRetryIsNotKeptBecauseThatMaySucceed() {
        shop().run(context -> {
            context.getBean(Callee.class).failNext(4);

            assertThat(context.getBean(Shop.class).nested("A")).isEqualTo("answer 5");

            assertThat(context.getBean(DeadLetterStore.class).sizes()).isEmpty();
        });
    }

    @Test
    void whatNoRetryCanMendIsNotKept() {
        shop().run(context -> {
            assertThatThrownBy(() -> context.getBean(Shop.class).permanent("A"))
                    .isInstanceOf(IllegalArgumentException.class);

            assertThat(context.getBean(DeadLetterStore.class).sizes()).isEmpty();
        });
    }

    @Test
    void aCallWhoseLastResultStillAsksForAnotherIsKept() {
        shop().run(context -> {
            assertThat(context.getBean(Shop.class).asking("A")).isEqualTo("answer 3");

            assertThat(context.getBean(DeadLetterStore.class).sizes()).containsEntry("asking", 1L);
        });
    }

    @Test
    void aReplayWhoseLastResultStillAsksForAnotherHasFailed() {
        shop().run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.asking("A");
            String id = context.getBean(DeadLetterStore.class)
                    .list("asking", 1)
                    .get(0)
                    .letter()
                    .id();
            DeadLetterMethods methods = context.getBean(DeadLetterMethods.class);
            context.getBean(Callee.class).call();
            context.getBean(Callee.class).call(); // the fifth answer, which would have been the right one

            Replayed failed = Objects.requireNonNull(letters(context, "asking").replay(id, methods));
            assertThat(failed.result()).isEqualTo(Replayed.Result.FAILED);
            assertThat(failed.failure()).isInstanceOf(RetryExhaustedException.class);
            assertThat(letters(context, "asking").find(id))
                    .extracting(StoredLetter::state)
                    .isEqualTo(State.FAILED);
        });
    }

    @Test
    void aCallWhoseWaitEndsWithTheApplicationIsKept() {
        shop().run(context -> {
            context.getBean(Callee.class).failNext(3);
            CompletableFuture<String> later = context.getBean(Shop.class).later("A");

            context.getBean(LiveRegistry.class).stopWaits();

            await().untilAsserted(() -> assertThat(later).isCompletedExceptionally());
            assertThat(only(context).letter().attempts()).isEqualTo(1);
            assertThatThrownBy(() -> context.getBean(Shop.class).order("B", 1, List.of(), Map.of(), null))
                    .isInstanceOf(ConnectException.class);
            assertThat(letters(context, "kept").calls().byLabel()).containsEntry("stored", 2L);
        });
    }

    @Test
    void aReplayThatABreakerRefusesIsNotMadeAndDoesNotCount() {
        shop().run(context -> {
            context.getBean(DeadLetterStore.class)
                    .store(
                            new DeadLetter(
                                    "id",
                                    "kept",
                                    context.getBeanNamesForType(Shop.class)[0],
                                    Shop.class.getName() + ".broken(java.lang.String)",
                                    "[\"A\"]".getBytes(StandardCharsets.UTF_8),
                                    new LetterFailure("a.B", ""),
                                    3),
                            Duration.ZERO);

            assertThat(replay(context).result()).isEqualTo(Replayed.Result.NOT_MADE);

            assertThat(only(context).replays()).isZero();
            assertThat(context.getBean(Callee.class).calls()).isZero();
        });
    }

    @Test
    void aFullStoreDoesNotHideTheCallersFailure() {
        shop().withPropertyValues("resilience.dead-letter-store.memory.max-size=100B")
                .run(context -> {
                    context.getBean(Callee.class).failNext(3);

                    assertThatThrownBy(() -> context.getBean(Shop.class).order("A", 1, List.of(), Map.of(), null))
                            .isInstanceOf(ConnectException.class);

                    assertThat(letters(context, "kept").calls().byLabel())
                            .containsEntry("stored", 0L)
                            .containsEntry("store_failure", 1L);
                });
    }
}
