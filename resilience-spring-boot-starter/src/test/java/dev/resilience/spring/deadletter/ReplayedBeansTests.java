package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.spring.Applications;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import dev.resilience.spring.deadletter.DeadLetters.UnreadableLetterException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Letters find their very bean again, and say why they cannot. */
class ReplayedBeansTests {

    /** What the service is behind an interface proxy. */
    interface Sending {

        String send(String text) throws ConnectException;
    }

    static class Sender implements Sending {

        private final AtomicInteger calls = new AtomicInteger();

        @Override
        @Retryable("kept")
        public String send(String text) throws ConnectException {
            if (calls.incrementAndGet() <= 3) {
                throw new ConnectException("call " + calls.get());
            }
            return text;
        }

        public int calls() {
            return calls.get();
        }
    }

    static class Pooled {

        private final AtomicInteger calls = new AtomicInteger();

        @Bulkhead("pool")
        @Idempotent(key = "#id")
        @Retryable("kept")
        String send(String id) throws ConnectException {
            if (calls.incrementAndGet() <= 6) {
                throw new ConnectException("call " + calls.get());
            }
            return id;
        }

        public int calls() {
            return calls.get();
        }
    }

    private static ApplicationContextRunner application() {
        return Applications.plain()
                .withPropertyValues(
                        "resilience.retry.kept.dead-letter=true",
                        "resilience.bulkhead.pool.type=thread-pool",
                        "resilience.dead-letter-store.type=memory");
    }

    private static StoredLetter only(ApplicationContext context) {
        List<StoredLetter> stored = context.getBean(DeadLetterStore.class).list("kept", 10);
        assertThat(stored).hasSize(1);
        return stored.get(0);
    }

    private static Replayed replay(ApplicationContext context) {
        KeepingRetry kept = context.getBean(LiveRegistry.class)
                .<KeepingRetry>ofKind("retry")
                .get("kept");
        return Objects.requireNonNull(
                kept.letters().replay(only(context).letter().id(), context.getBean(DeadLetterMethods.class)));
    }

    private static Sender none() {
        throw new IllegalStateException("it is lazy, and not asked for");
    }

    @Test
    void ofTwoBeansOfAClassTheOneThatWasCalledIsCalledAgain() {
        application()
                .withBean("lazy", Sender.class, ReplayedBeansTests::none, lazy -> lazy.setLazyInit(true))
                .withBean("one", Sender.class)
                .withBean("two", Sender.class)
                .run(context -> {
                    Sender two = context.getBean("two", Sender.class);
                    assertThatThrownBy(() -> two.send("text")).isInstanceOf(ConnectException.class);

                    assertThat(only(context).letter().bean()).isEqualTo("two");
                    assertThat(replay(context).result()).isEqualTo(Replayed.Result.SUCCEEDED);
                    assertThat(two.calls()).isEqualTo(4);
                    assertThat(context.getBean("one", Sender.class).calls()).isZero();
                });
    }

    @Test
    void aBeanBehindAnInterfaceProxyIsFound() {
        application()
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean("sender", Sender.class)
                .run(context -> {
                    Sending sender = context.getBean(Sending.class);
                    assertThat(sender).isNotInstanceOf(Sender.class);
                    assertThatThrownBy(() -> sender.send("text")).isInstanceOf(ConnectException.class);

                    assertThat(replay(context).result()).isEqualTo(Replayed.Result.SUCCEEDED);
                });
    }

    @Test
    void allKindsHoldForAReplayAlsoOnThreadsOfTheirOwn() {
        application().withBean("pooled", Pooled.class).run(context -> {
            Pooled pooled = context.getBean(Pooled.class);
            assertThatThrownBy(() -> pooled.send("A")).isInstanceOf(ConnectException.class);

            assertThat(replay(context).result()).isEqualTo(Replayed.Result.FAILED);
            assertThat(only(context).replays()).as("no second letter").isEqualTo(1);
            assertThat(replay(context).result()).isEqualTo(Replayed.Result.SUCCEEDED);

            assertThat(pooled.calls()).isEqualTo(7);
            assertThat(pooled.send("A")).isEqualTo("A");
            assertThat(pooled.calls()).as("the replay's result is kept").isEqualTo(7);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "[1,2]", "{}", "", "[{}]", "[\"A\"", "[\"secret\", 3]"})
    void argumentsThatDoNotReadAreToldWithoutBeingShown(String arguments) {
        application().withBean("sender", Sender.class).run(context -> {
            store(context, "sender", arguments);

            Replayed replayed = replay(context);

            assertThat(replayed.result()).isEqualTo(Replayed.Result.NOT_MADE);
            assertThat(replayed.failure())
                    .isInstanceOf(UnreadableLetterException.class)
                    .hasMessageContaining("its arguments cannot be read any more")
                    .hasMessageNotContaining("secret");
            assertThat(only(context).replays()).isZero();
            assertThat(new String(only(context).letter().arguments(), StandardCharsets.UTF_8))
                    .isEqualTo(arguments);
        });
    }

    @Test
    void aBeanThatIsGoneIsTold() {
        application().withBean("sender", Sender.class).run(context -> {
            store(context, "formerSender", "[\"A\"]");

            assertThat(replay(context).failure())
                    .isInstanceOf(UnreadableLetterException.class)
                    .hasMessageContaining("no bean 'formerSender'");
        });
    }

    private static void store(ApplicationContext context, String bean, String arguments) {
        context.getBean(DeadLetterStore.class)
                .store(
                        new DeadLetter(
                                "id",
                                "kept",
                                bean,
                                Sender.class.getName() + ".send(java.lang.String)",
                                arguments.getBytes(StandardCharsets.UTF_8),
                                new LetterFailure("a.B", ""),
                                3),
                        Duration.ZERO);
    }
}
