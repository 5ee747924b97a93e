package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.retry.Retry;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.time.ManualTimeSource;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.context.support.GenericApplicationContext;

/** Letters that outlive their application, and are replayed in the background. */
class AutomaticReplayTests {

    static class Shop {

        private final List<String> ordered = new ArrayList<>();
        private Runnable onOrder = () -> {};

        @Autowired
        Callee callee;

        @Retryable("kept")
        public String order(String id) throws ConnectException {
            String answer = callee.call();
            ordered.add(id);
            onOrder.run();
            onOrder = () -> {};
            return answer;
        }

        public void onOrder(Runnable action) {
            onOrder = action;
        }

        public List<String> ordered() {
            return ordered;
        }
    }

    /** The next version: the method has another name. */
    static class RenamedShop {

        @Retryable("kept")
        public String place(String id) {
            return id;
        }
    }

    private final ManualTimeSource storeTime = new ManualTimeSource();
    private final DeadLetterStore store = new MemoryDeadLetterStore(storeTime);

    private ApplicationContextRunner application(Class<?> shop, String... properties) {
        return Applications.plain()
                .withBean("shop", shop)
                .withBean(DeadLetterStore.class, () -> store)
                .withPropertyValues("resilience.retry.kept.dead-letter=true")
                .withPropertyValues(properties);
    }

    private void lose(String... ids) {
        application(Shop.class).run(context -> {
            for (String id : ids) {
                context.getBean(Callee.class).failNext(3);
                assertThatThrownBy(() -> context.getBean(Shop.class).order(id)).isInstanceOf(ConnectException.class);
            }
        });
    }

    private static void round(ApplicationContext context) {
        context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(10));
    }

    private static List<String> ordered(ApplicationContext context) {
        return context.getBean(Shop.class).ordered();
    }

    private StoredLetter only(String id) {
        return store.list("kept", 10).stream()
                .filter(found -> new String(found.letter().arguments(), StandardCharsets.UTF_8).contains(id))
                .findFirst()
                .orElseThrow();
    }

    private StoredLetter only() {
        List<StoredLetter> stored = store.list("kept", 10);
        assertThat(stored).hasSize(1);
        return stored.get(0);
    }

    @Test
    void theNextApplicationMakesTheCallsAgain() {
        lose("A", "B");
        application(Shop.class, "resilience.retry.kept.dead-letter.replay=auto").run(context -> {
            round(context);
            assertThat(ordered(context)).as("not due yet").isEmpty();
            storeTime.advance(Duration.ofMinutes(1));
            round(context);

            assertThat(ordered(context)).containsExactly("A", "B");
            assertThat(store.sizes()).isEmpty();
        });
    }

    @Test
    void aFailureEndsTheRoundSoThatWhatIsDownIsLeftAlone() {
        lose("A", "B", "C");
        application(Shop.class, "resilience.retry.kept.dead-letter.replay=auto").run(context -> {
            storeTime.advance(Duration.ofMinutes(1));
            Callee callee = context.getBean(Callee.class).failNext(3);
            round(context);

            assertThat(callee.calls()).isEqualTo(3);
            round(context);
            assertThat(ordered(context)).containsExactly("B", "C");
            assertThat(only().state()).isEqualTo(StoredLetter.State.FAILED);
        });
    }

    @Test
    void aRoundIsOfTenLetters() {
        lose("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11");
        application(Shop.class, "resilience.retry.kept.dead-letter.replay=auto").run(context -> {
            storeTime.advance(Duration.ofMinutes(1));
            round(context);
            assertThat(ordered(context)).hasSize(10);
            round(context);
            assertThat(ordered(context)).hasSize(11);
        });
    }

    @Test
    void nothingIsReplayedUnlessThePolicySaysSoAlsoWhileTheApplicationRuns() {
        lose("A");
        application(Shop.class).run(context -> {
            storeTime.advance(Duration.ofMinutes(1));
            round(context);
            assertThat(ordered(context)).isEmpty();

            context.getBean(ResilienceRegistry.class)
                    .reconfigure(Retry.class, "kept", Map.of("dead-letter.replay", "auto"));
            round(context);

            assertThat(ordered(context)).containsExactly("A");
        });
    }

    @Test
    void theShutdownWaitsForTheReplayThatRunsAndBeginsNoOther() {
        lose("A", "B");
        application(Shop.class, "resilience.retry.kept.dead-letter.replay=auto").run(context -> {
            List<CompletableFuture<Void>> close = new ArrayList<>();
            DeadLetterReplays replays = context.getBean(DeadLetterReplays.class);
            Shop shop = context.getBean(Shop.class);
            shop.onOrder(() -> {
                close.add(CompletableFuture.runAsync(context.getSourceApplicationContext()::close));
                await().until(() -> !replays.isRunning());
                assertThat(only("A").state()).isEqualTo(StoredLetter.State.REPLAYING);
                assertThat(close.get(0)).isNotDone();
            });
            storeTime.advance(Duration.ofMinutes(1));
            round(context);
            close.get(0).join();

            assertThat(shop.ordered()).containsExactly("A");
            assertThat(only().state()).as("B").isEqualTo(StoredLetter.State.WAITING);
        });
    }

    @Test
    void lettersOfAnotherApplicationDoNotKeepOwnOnesWaiting() {
        for (int i = 0; i < 9; i++) {
            store.store(
                    new DeadLetter("" + i, "kept", "b", "A.b()", new byte[0], new LetterFailure("a.B", ""), 3),
                    Duration.ZERO);
        }
        lose("A");
        application(Shop.class, "resilience.retry.kept.dead-letter.replay=auto").run(context -> {
            storeTime.advance(Duration.ofMinutes(1));
            round(context);

            assertThat(ordered(context)).containsExactly("A");
            assertThat(store.sizes()).containsEntry("kept", 9L);
        });
    }

    private static DefaultLifecycleProcessor stoppingWithin(Duration time) {
        DefaultLifecycleProcessor processor = new DefaultLifecycleProcessor();
        processor.setTimeoutPerShutdownPhase(time.toMillis());
        return processor;
    }

    @Test
    void anApplicationThatIsStartedAgainHasOneRoundAtATime() {
        lose("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12");
        ApplicationContextRunner runner = application(Shop.class, "resilience.retry.kept.dead-letter.replay=auto")
                .withBean(
                        AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME,
                        DefaultLifecycleProcessor.class,
                        () -> stoppingWithin(Duration.ofMillis(200))); // its end waits for the round that ends it
        runner.run(context -> {
            Lifecycle application = (Lifecycle) context.getSourceApplicationContext();
            storeTime.advance(Duration.ofMinutes(1));
            context.getBean(Shop.class).onOrder(() -> {
                application.stop();
                application.start();
            });
            round(context);
            assertThat(ordered(context)).hasSize(1);
            round(context);
            assertThat(ordered(context)).hasSize(11);
        });
    }

    @Test
    void aStoppedApplicationReplaysNothingAndGoesOnWhenItIsStarted() {
        lose("A");
        application(Shop.class, "resilience.retry.kept.dead-letter.replay=auto").run(context -> {
            storeTime.advance(Duration.ofMinutes(1));
            ((Lifecycle) context.getSourceApplicationContext()).stop();
            round(context);
            assertThat(ordered(context)).isEmpty();

            ((Lifecycle) context.getSourceApplicationContext()).start();
            round(context);
            assertThat(ordered(context)).containsExactly("A");
        });
    }

    @Test
    void aLetterWhoseMethodWasRenamedIsLeftToAVersionThatHasIt() {
        lose("A");
        application(RenamedShop.class, "resilience.retry.kept.dead-letter.replay=auto")
                .run(context -> {
                    storeTime.advance(Duration.ofMinutes(1));
                    round(context);

                    assertThat(only().state()).isEqualTo(StoredLetter.State.WAITING);
                    assertThat(only().replays()).isZero();
                    assertThat(context.getBean(DeadLetterMethods.class).whyNotReadable(only().letter()))
                            .contains("no such method");
                    assertThat(context.getBean(LiveRegistry.class)
                                    .<KeepingRetry>ofKind("retry")
                                    .get("kept")
                                    .letters()
                                    .calls()
                                    .byLabel())
                            .containsEntry("replay_failed", 1L);
                });
        application(Shop.class, "resilience.retry.kept.dead-letter.replay=auto").run(context -> {
            storeTime.advance(Duration.ofMinutes(10));
            round(context);
            assertThat(ordered(context)).as("the former version is back").containsExactly("A");
        });
    }

    static class LateShop {

        @Retryable(maxAttempts = 2)
        public String late(String id) {
            return id;
        }
    }

    @Test
    void lettersOfAClassThatTurnsUpLateAreReplayedToo() {
        store.store(
                new DeadLetter(
                        "late",
                        "LateShop.late",
                        "late",
                        LateShop.class.getName() + ".late(java.lang.String)",
                        "[\"A\"]".getBytes(StandardCharsets.UTF_8),
                        new LetterFailure("a.B", ""),
                        3),
                Duration.ZERO);
        application(
                        Shop.class,
                        "resilience.retry.default.dead-letter=true",
                        "resilience.retry.default.dead-letter.replay=auto")
                .run(context -> {
                    ((GenericApplicationContext) context.getSourceApplicationContext())
                            .registerBean("late", LateShop.class);
                    context.getBean(LateShop.class).late("B");
                    round(context);

                    assertThat(store.sizes()).isEmpty();
                });
    }

    /** Takes calls before all others, as a listener of messages may. */
    private record FirstOfAll(List<String> steps) implements SmartLifecycle {

        @Override
        public int getPhase() {
            return Integer.MIN_VALUE;
        }

        @Override
        public void start() {
            steps.add("started");
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    @Test
    void theStoreIsPreparedBeforeAnythingIsStarted() {
        List<String> steps = new ArrayList<>();
        DeadLetterStore noting = (DeadLetterStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DeadLetterStore.class}, (proxy, method, arguments) -> {
                    steps.add(method.getName());
                    return method.invoke(store, arguments);
                });
        Applications.plain(Shop.class)
                .withBean(DeadLetterStore.class, () -> noting)
                .withPropertyValues("resilience.retry.kept.dead-letter=true")
                .withBean(FirstOfAll.class, () -> new FirstOfAll(steps))
                .run(context -> assertThat(steps).containsSubsequence("prepare", "started"));
    }

    @Test
    void lettersOfAPolicyThatKeepsNoneAnyMoreAreToldAtStartup() {
        lose("A");
        application(Shop.class, "resilience.retry.kept.dead-letter=false", "resilience.retry.two.dead-letter=true")
                .run(context -> assertThat(
                                context.getBean(StartupWarnings.class).all())
                        .anySatisfy(warning -> assertThat(warning)
                                .contains(
                                        "There are 1 dead letters of the retry policy 'kept'",
                                        "[dead-letters-forgotten]")));
    }
}
