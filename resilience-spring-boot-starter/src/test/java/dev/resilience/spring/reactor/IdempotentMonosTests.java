package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.idempotency.tck.ForwardingStore;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** The store of these applications notes on which threads it is asked, and no Mono may make it block one of Reactor's. */
class IdempotentMonosTests {

    private final ThreadNotingStore store = new ThreadNotingStore();

    private final ApplicationContextRunner runner = Applications.plain(Payments.class)
            .withPropertyValues(
                    "resilience.retry.once-more.max-attempts=2", "resilience.retry.once-more.backoff.base-delay=0")
            .withConfiguration(SortedOnce.of(JacksonAutoConfiguration.class))
            .withBean(IdempotencyStore.class, () -> store);

    private void with(Applications.Use<Payments> use) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            use.with(context.getBean(Payments.class), context.getBean(Callee.class));
            assertThat(store.blocked).as("threads that must not block").isEmpty();
            assertThat(store.asked.get()).isPositive();
        });
    }

    @Test
    void theResultIsStoredAndReplayedToLaterSubscribers() {
        with((payments, callee) -> {
            Mono<String> payment = payments.pay("k", 1);
            for (int i = 0; i < 3; i++) {
                StepVerifier.create(payment.subscribeOn(Schedulers.parallel()))
                        .expectNext("paid 1")
                        .verifyComplete();
            }
            StepVerifier.create(payments.pay("k", 2)).verifyError(IdempotencyKeyReusedException.class);
        });
    }

    @Test
    void emptinessIsAResultToo() {
        with((payments, callee) -> {
            StepVerifier.create(payments.nothing("k")).verifyComplete();
            StepVerifier.create(payments.nothing("k")).verifyComplete();
            assertThat(payments.calls()).hasValue(1);
        });
    }

    @Test
    void aMonoThatEndsOnAnEventLoopDoesNotBlockIt() {
        with((payments, callee) -> {
            StepVerifier.create(payments.elsewhere("k"))
                    .expectNext("parallel 1")
                    .verifyComplete();
            StepVerifier.create(payments.elsewhere("k"))
                    .expectNext("parallel 1")
                    .verifyComplete();
        });
    }

    @Test
    void aFailureFreesTheKey() {
        with((payments, callee) -> {
            callee.failNext(1);
            StepVerifier.create(payments.failing("k")).verifyError(ConnectException.class);
            StepVerifier.create(payments.failing("k")).expectNext("answer 2").verifyComplete();
        });
    }

    @Test
    void aSubscriberThatLeavesDoesNotUndoWhatIsDone() {
        with((payments, callee) -> {
            Disposable gone = payments.slow("k").subscribe();
            payments.awaitCalls(1);
            StepVerifier.create(payments.slow("k")).verifyError(IdempotencyInProgressException.class);
            gone.dispose();
            payments.answer().tryEmitValue("done");
            store.awaitCompletion();
            StepVerifier.create(payments.slow("k")).expectNext("done").verifyComplete();
            assertThat(payments.calls()).hasValue(1);
        });
    }

    @Test
    void aSubscriberThatLeavesWhileTheKeyIsClaimedDoesNotKeepItTaken() {
        with((payments, callee) -> {
            store.mayClaim = new CountDownLatch(1);
            Disposable gone = payments.pay("k", 1).subscribe();
            while (store.asked.get() == 0) {
                Thread.onSpinWait();
            }
            gone.dispose();
            store.mayClaim.countDown();
            store.awaitCompletion();
            StepVerifier.create(payments.pay("k", 1)).expectNext("paid 1").verifyComplete();
        });
    }

    @Test
    void aSubscriberThatLeavesBetweenTwoAttemptsDoesNotKeepTheKeyTaken() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            Callee callee = context.getBean(Callee.class).failNext(1);
            ManualTimeSource time = context.getBean(ManualTimeSource.class);
            Disposable gone = payments.retriedLater("k").subscribe();
            while (context.getBean(ResilienceRegistry.class)
                            .retries()
                            .get("default")
                            .attempts()
                    < 1) {
                if (callee.calls() == 1) {
                    gone.dispose();
                    time.advance(Duration.ofSeconds(1));
                }
            }
            store.awaitCompletion();
            StepVerifier.create(payments.retriedLater("k"))
                    .expectNext("answer 2")
                    .verifyComplete();
        });
    }

    @Test
    void retriesAreInsideAndFallbacksOutside() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            Callee callee = context.getBean(Callee.class).failNext(2);
            StepVerifier.create(payments.retried("k")).expectNext("later").verifyComplete();
            StepVerifier.create(payments.retried("k")).expectNext("answer 3").verifyComplete();
            StepVerifier.create(payments.retried("k")).expectNext("answer 3").verifyComplete();
            assertThat(callee.calls()).isEqualTo(3);
        });
    }

    @Test
    void theKeyForOthersIsInReactorsContext() {
        with((payments, callee) -> {
            String key = payments.downstreamKey("k").block();
            assertThat(key).hasSize(64);
        });
    }

    public static class Payments {

        private final AtomicInteger calls = new AtomicInteger();
        private final Sinks.One<String> answer = Sinks.one();

        @Autowired
        Callee callee;

        AtomicInteger calls() {
            return calls;
        }

        Sinks.One<String> answer() {
            return answer;
        }

        void awaitCalls(int number) {
            while (calls.get() < number) {
                Thread.onSpinWait();
            }
        }

        @Idempotent(key = "#key")
        public Mono<String> pay(String key, int amount) {
            return Mono.fromSupplier(() -> "paid " + calls.incrementAndGet());
        }

        @Idempotent(key = "#key")
        public Mono<Void> nothing(String key) {
            return Mono.fromRunnable(calls::incrementAndGet);
        }

        @Idempotent(key = "#key")
        public Mono<String> elsewhere(String key) {
            return Mono.fromSupplier(() -> "parallel " + calls.incrementAndGet())
                    .subscribeOn(Schedulers.parallel());
        }

        @Idempotent(key = "#key")
        public Mono<String> failing(String key) {
            return Mono.defer(() -> Mono.fromFuture(callee.callAsync())).publishOn(Schedulers.parallel());
        }

        @Idempotent(key = "#key")
        public Mono<String> slow(String key) {
            calls.incrementAndGet();
            return answer.asMono();
        }

        @Fallback("later")
        @Idempotent(key = "#key")
        @Retryable("once-more")
        public Mono<String> retried(String key) {
            return Mono.fromFuture(callee.callAsync());
        }

        String later(String key) {
            return "later";
        }

        @Idempotent(key = "#key")
        @Retryable("default")
        public Mono<String> retriedLater(String key) {
            return Mono.fromFuture(callee.callAsync());
        }

        @Idempotent(key = "#key")
        public Mono<String> downstreamKey(String key) {
            return Mono.deferContextual(reactor -> {
                IdempotencyContext context = ReactiveCallContext.of(reactor).idempotency();
                return Mono.justOrEmpty(context == null ? null : context.downstreamKey());
            });
        }
    }

    private static final class ThreadNotingStore extends ForwardingStore {

        private final Queue<String> blocked = new ConcurrentLinkedQueue<>();
        private final AtomicInteger asked = new AtomicInteger();
        private final CountDownLatch completed = new CountDownLatch(1);
        private volatile CountDownLatch mayClaim = new CountDownLatch(0);

        ThreadNotingStore() {
            super(new MemoryIdempotencyStore(TimeSource.system()));
        }

        private void blocks() {
            asked.incrementAndGet();
            if (Schedulers.isInNonBlockingThread()) {
                blocked.add(Thread.currentThread().getName());
            }
        }

        void awaitCompletion() throws InterruptedException {
            completed.await();
        }

        @Override
        public Claim claim(ClaimRequest request) {
            blocks();
            try {
                mayClaim.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            return super.claim(request);
        }

        @Override
        public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
            blocks();
            boolean ours = super.complete(token, result, ttl);
            completed.countDown();
            return ours;
        }

        @Override
        public boolean release(LeaseToken token) {
            blocks();
            return super.release(token);
        }
    }
}
