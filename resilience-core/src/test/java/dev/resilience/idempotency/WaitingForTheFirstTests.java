package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.IN_PROGRESS;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static dev.resilience.event.IdempotencyOutcome.REPLAYED;
import static dev.resilience.event.IdempotencyOutcome.TAKEN_OVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.IdempotencyPolicy.OnInProgress;
import dev.resilience.idempotency.IdempotencyPolicy.OnStoreFailure;
import dev.resilience.idempotency.TestIdempotency.InFlight;
import dev.resilience.idempotency.UnreliableStore.Act;
import dev.resilience.pipeline.Waits;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** With {@code on-in-progress: wait}. */
class WaitingForTheFirstTests {

    private static final Duration WAIT = Duration.ofSeconds(5);

    private final IdempotencyPolicy.Builder policy =
            IdempotencyPolicy.builder().onInProgress(OnInProgress.WAIT).waitTimeout(WAIT);
    private final TestIdempotency calls = new TestIdempotency(CallMode.BLOCKING, policy.build());

    @AfterEach
    void clearTheFlag() {
        Thread.interrupted();
    }

    /** A sleep on manual time lets time pass, so what happens during the wait is scheduled before it. */
    @Nested
    class ABlockingCaller {

        @Test
        void getsTheFirstOnesResult() throws Throwable {
            InFlight first = calls.start();
            calls.time.schedule(Duration.ofSeconds(2), () -> first.succeed("first"));

            assertThat(calls.call("second")).isEqualTo("first");

            assertThat(calls.time.elapsed()).isBetween(Duration.ofSeconds(2), Duration.ofMillis(2250));
            calls.assertExecutions(1);
            calls.assertCounted(EXECUTED, REPLAYED);
        }

        /** The store has just said that another call runs. */
        @Test
        void doesNotRunThoughTheStoreGoesDownAndIsOpenThen() {
            TestIdempotency open = new TestIdempotency(
                    CallMode.BLOCKING,
                    policy.onStoreFailure(OnStoreFailure.FAIL_OPEN).build());
            open.start();
            open.time.schedule(Duration.ofSeconds(2), open.store::goDown);

            assertThatThrownBy(open.calling()).isInstanceOf(IdempotencyStoreException.class);

            open.assertExecutions(1);
        }

        @Test
        void isRefusedWhenItHasWaitedForAsLongAsAllowed() {
            calls.start();

            IdempotencyInProgressException refused =
                    catchThrowableOfType(IdempotencyInProgressException.class, calls.calling());

            assertThat(refused.retryAfter()).isPositive();
            assertThat(calls.time.elapsed()).isEqualTo(WAIT);
            calls.assertExecutions(1);
            calls.assertCounted(IN_PROGRESS);
        }

        @Test
        void getsAResultOfTheVeryLastMoment() throws Throwable {
            InFlight first = calls.start();
            calls.time.schedule(WAIT, () -> first.succeed("first"));

            assertThat(calls.call("second")).isEqualTo("first");
        }

        @Test
        void isRefusedIfInterruptedAndKeepsItsFlag() {
            calls.start();
            calls.time.schedule(Duration.ofSeconds(1), Thread.currentThread()::interrupt);

            IdempotencyInProgressException refused =
                    catchThrowableOfType(IdempotencyInProgressException.class, calls.calling());

            assertThat(refused.retryAfter()).isPositive();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThat(calls.time.elapsed()).isLessThan(Duration.ofSeconds(2));
            calls.assertCounted(IN_PROGRESS);
        }

        @Test
        void isRefusedIfInterruptedWhileItAsks() {
            calls.start();
            Runnable disturb = () -> {
                calls.store.observe(act -> Thread.currentThread().interrupt());
                calls.store.goDownFor(Act.CLAIM);
            };
            calls.time.schedule(Duration.ofMillis(1), disturb);

            assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyInProgressException.class);

            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            calls.assertCounted(IN_PROGRESS);
        }

        @Test
        void runsItselfIfTheFirstOneFails() throws Throwable {
            InFlight first = calls.start();
            calls.time.schedule(Duration.ofSeconds(1), () -> first.fail(new IllegalStateException("down")));

            assertThat(calls.call("second")).isEqualTo("second");

            calls.assertExecutions(2);
            calls.assertCounted(RELEASED, EXECUTED);
        }

        @Test
        void takesOverIfTheFirstOneDies() throws Throwable {
            IdempotencyPolicy shortLease = policy.lease(Duration.ofSeconds(3)).build();
            TestIdempotency mortal = new TestIdempotency(CallMode.BLOCKING, shortLease);
            mortal.startInAProcessThatStops();

            assertThat(mortal.call("second")).isEqualTo("second");

            mortal.assertCounted(TAKEN_OVER);
        }

        @Test
        void doesNotWaitWithAnotherPayload() {
            calls.start();

            assertThatThrownBy(calls.calling("key", "other")).isInstanceOf(IdempotencyKeyReusedException.class);

            assertThat(calls.time.elapsed()).isZero();
        }
    }

    @Nested
    class AnAsynchronousCaller {

        @Test
        void getsTheFirstOnesResult() {
            InFlight first = calls.start();
            InFlight second = calls.start();
            calls.time.advance(Duration.ofSeconds(2));
            assertThat(second.answer()).isNotDone();

            first.succeed("first");
            calls.time.advance(Duration.ofMillis(250));

            assertThat(second.answer()).isCompletedWithValue("first");
            calls.assertExecutions(1);
            calls.assertCounted(EXECUTED, REPLAYED);
        }

        @Test
        void holdsNoThread() {
            calls.start();
            for (int i = 0; i < 100; i++) {
                calls.start();
            }

            assertThat(calls.time.parkedThreads()).isZero();
            assertThat(calls.time.elapsed()).isZero();
        }

        @Test
        void isRefusedWhenItHasWaitedForAsLongAsAllowed() {
            calls.start();
            InFlight second = calls.start();
            calls.time.advance(WAIT.minusNanos(1));
            assertThat(second.answer()).isNotDone();

            calls.time.advance(Duration.ofNanos(1));

            assertThat(second.refusal())
                    .isInstanceOfSatisfying(
                            IdempotencyInProgressException.class,
                            refused -> assertThat(refused.retryAfter()).isPositive());
            calls.assertExecutions(1);
            calls.assertCounted(IN_PROGRESS);
        }

        @Test
        void waitsNoLongerOnceItIsCancelled() {
            InFlight first = calls.start();
            InFlight second = calls.start();

            second.answer().cancel(true);
            first.fail(new IllegalStateException("down"));
            calls.time.advance(Duration.ofMinutes(1));

            calls.assertExecutions(1);
            calls.assertCounted(IN_PROGRESS, RELEASED);
        }

        @Test
        void givesTheKeyBackIfItIsCancelledWhileItIsClaimed() throws Throwable {
            InFlight first = calls.start();
            InFlight second = calls.start();
            first.fail(new IllegalStateException("down"));
            calls.store.observe(act -> {
                if (act == Act.CLAIM) {
                    second.answer().cancel(true);
                }
            });
            calls.time.advance(Duration.ofMillis(250));
            calls.store.observe(act -> {});

            assertThat(calls.call("third")).isEqualTo("third");

            calls.assertExecutions(2);
            calls.assertCounted(RELEASED, RELEASED, EXECUTED);
        }

        @Test
        void runsItselfIfTheFirstOneFails() {
            InFlight first = calls.start();
            InFlight second = calls.start();

            first.fail(new IllegalStateException("down"));
            calls.time.advance(Duration.ofMillis(250));

            assertThat(second.isRunning()).isTrue();
            second.succeed("second");
            calls.assertCounted(RELEASED, EXECUTED);
        }

        /** As a body that has noticed the interrupt and goes on. */
        @Test
        void isInterruptedAndItsStageCancelledIfTheApplicationEndsBeforeThatIsReturned() {
            InFlight first = calls.start();
            CompletableFuture<Object> stage = new CompletableFuture<>();
            AtomicBoolean wasInterrupted = new AtomicBoolean();
            Waits waits = calls.idempotency.waits;
            CompletableFuture<@Nullable Object> second = TestIdempotency.pipeline(calls.idempotency, calls.operation)
                    .invokeAsync(TestIdempotency.invocation("key", "payload", () -> {
                        CompletableFuture.runAsync(waits::stopRunning).join();
                        wasInterrupted.set(Thread.interrupted());
                        return stage;
                    }));
            first.fail(new IllegalStateException("down"));

            calls.time.advance(Duration.ofMillis(250));

            assertThat(wasInterrupted).isTrue();
            assertThat(stage).isCancelled();
            assertThat(second).isCompletedExceptionally();
            assertThat(waits.hasWork()).isFalse();
            calls.assertCounted(RELEASED, RELEASED);
        }
    }
}
