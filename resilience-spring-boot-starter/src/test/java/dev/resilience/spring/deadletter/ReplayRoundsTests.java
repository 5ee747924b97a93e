package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Environment;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.retry.TransactionState;
import dev.resilience.spring.Applications;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import dev.resilience.spring.deadletter.DeadLetters.Replayer;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Rounds of replays whose start, end and time source get into each other's way. */
class ReplayRoundsTests {

    private static final Duration PAUSE = Duration.ofSeconds(10);

    private final ManualTimeSource time = new ManualTimeSource();
    private final AtomicInteger claims = new AtomicInteger();
    private Runnable onSchedule = () -> {};
    private Consumer<String> onReplay = id -> {};
    private Runnable onClaim = () -> {};

    /** Has no letters. */
    private final DeadLetterStore store =
            watched(DeadLetterStore.class, new MemoryDeadLetterStore(time), "claimDue", () -> {
                claims.incrementAndGet();
                onClaim.run();
            });

    private final TimeSource watched = watched(TimeSource.class, time, "schedule", () -> onSchedule.run());

    private static <T> T watched(Class<T> type, T object, String name, Runnable before) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        before.run();
                    }
                    return method.invoke(object, arguments);
                }));
    }

    private Retry retry(String name) {
        RetryPolicy policy = RetryPolicy.builder()
                .budget(RetryPolicy.NO_BUDGET)
                .deadLetter(true)
                .deadLetterReplay(RetryPolicy.Replay.AUTO)
                .build();
        return new KeepingRetry(
                name,
                policy,
                Environment.of(time),
                null,
                TransactionState.NONE,
                new DeadLetters(name, store, Environment.of(time)));
    }

    private DeadLetterReplays replays(LiveRegistry registry, String... policies) {
        for (String policy : policies) {
            registry.computeIfAbsent("retry", policy, () -> retry(policy));
        }
        Replayer replayer = (letter, attempt) -> onReplay.accept(letter.id());
        return new DeadLetterReplays(
                () -> registry, replayer, watched, () -> true, prepared -> {}, Duration.ofDays(30));
    }

    @Test
    void noRoundBeginsInTheMomentOfTheStop() {
        Applications.plain().run(context -> {
            DeadLetterReplays replays = replays(context.getBean(LiveRegistry.class), "orders", "payments");
            onSchedule = () -> {
                onSchedule = () -> {};
                replays.stop();
            };

            replays.start();
            time.advance(PAUSE);
            assertThat(claims)
                    .as("stopped while the first of two policies was begun")
                    .hasValue(0);

            replays.start();
            time.advance(PAUSE);
            assertThat(claims).as("one round for each policy").hasValue(2);
        });
    }

    /** Its call may wait for a retry until the web server has waited for its requests, which must not begin later for that. */
    @Test
    void theStopDoesNotWaitForARoundButTheEndOfTheApplicationDoes() {
        Applications.plain().run(context -> {
            LiveRegistry registry = context.getBean(LiveRegistry.class);
            DeadLetterReplays replays = replays(registry, "orders");
            AtomicBoolean stopped = new AtomicBoolean();
            AtomicBoolean wasAtWork = new AtomicBoolean();
            onClaim = () -> {
                replays.stop(() -> stopped.set(true));
                wasAtWork.set(stopped.get() && registry.isAtWork());
            };
            replays.start();
            assertThat(registry.isAtWork()).isFalse();

            time.advance(PAUSE);

            assertThat(wasAtWork).isTrue();
            assertThat(registry.isAtWork()).isFalse();
        });
    }

    @Test
    void allLettersOfAPolicyAreReplayedInOneRoundUntilOneIsRefused() {
        Applications.plain().run(context -> {
            for (String id : List.of("1", "2", "3")) {
                store.store(
                        new DeadLetter(id, "orders", "b", "o", new byte[0], new LetterFailure("t", ""), 1),
                        Duration.ZERO);
            }
            LiveRegistry registry = context.getBean(LiveRegistry.class);
            DeadLetterReplays replays = replays(registry, "orders");
            KeepingRetry orders = KeepingRetry.in(registry).get(0);
            Function<String, Replayed> replay =
                    id -> orders.letters().replay(id, (letter, attempt) -> onReplay.accept(letter.id()));
            List<String> replayed = new ArrayList<>();
            List<Boolean> begunMeanwhile = new ArrayList<>();
            onReplay = id -> {
                replayed.add(id);
                begunMeanwhile.add(replays.forAll(orders, replay));
                if (id.equals("2")) {
                    throw new BulkheadFullException("orders", "no place");
                }
            };

            assertThat(replays.forAll(orders, replay)).isTrue();
            time.advance(Duration.ofSeconds(1));

            assertThat(replayed).containsExactly("1", "2");
            assertThat(begunMeanwhile).containsExactly(false, false);
            assertThat(store.list("orders", 10))
                    .extracting(found -> found.letter().id())
                    .containsExactly("2", "3");
        });
    }

    @Test
    void aRoundThatCannotBeScheduledAgainDoesNotHoldUpTheShutdown() {
        Applications.plain().run(context -> {
            DeadLetterReplays replays = replays(context.getBean(LiveRegistry.class), "orders");
            replays.start();
            onSchedule = () -> {
                if (claims.get() > 0) {
                    throw new IllegalStateException("no thread");
                }
            };
            assertThatThrownBy(() -> time.advance(PAUSE)).hasMessage("no thread");

            AtomicBoolean stopped = new AtomicBoolean();
            replays.stop(() -> stopped.set(true));

            assertThat(stopped).isTrue();
            assertThat(context.getBean(LiveRegistry.class).isAtWork()).isFalse();
            assertThat(claims).hasValue(1);
        });
    }
}
