package dev.resilience.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.Resilience;
import dev.resilience.context.Deadline;
import dev.resilience.event.CallRejected;
import dev.resilience.event.RateLimitOutcome;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaitingForPermitsTests {

    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final RateLimitPolicy WAITING = RateLimitPolicy.builder()
            .permits(10)
            .period(Duration.ofSeconds(1))
            .burst(1)
            .maxWait(Duration.ofMillis(250))
            .build();

    private final ManualTimeSource time = new ManualTimeSource();
    private final List<String> events = new ArrayList<>();
    private final Resilience resilience = Resilience.builder()
            .timeSource(time)
            .build()
            .onEvent(CallRejected.class, event -> events.add(event.kind() + " " + event.name() + " " + event.reason()));
    private final RateLimit limit = resilience.rateLimit("orders", WAITING);
    private final Pipeline pipeline = Pipeline.of(limit);
    private final AtomicInteger made = new AtomicInteger();

    private int call() {
        return pipeline.call(made::incrementAndGet);
    }

    private CompletableFuture<Integer> callAsync() {
        return pipeline.callAsync(() -> CompletableFuture.completedFuture(made.incrementAndGet()));
    }

    private void assertCounted(long accepted, long rejected) {
        assertThat(limit.calls().get(RateLimitOutcome.ACCEPTED)).isEqualTo(accepted);
        assertThat(limit.calls().get(RateLimitOutcome.REJECTED)).isEqualTo(rejected);
    }

    @Test
    void aBlockingCallWaitsForItsPermit() {
        call();
        assertThat(call()).isEqualTo(2);
        assertThat(time.elapsed()).isEqualTo(INTERVAL);
        assertCounted(2, 0);
    }

    @Test
    void asynchronousCallsWaitWithoutAThreadInTheOrderInWhichTheyCame() {
        CompletableFuture<Integer> first = callAsync();
        CompletableFuture<Integer> second = callAsync();
        CompletableFuture<Integer> third = callAsync();
        CompletableFuture<Integer> tooLate = callAsync();

        assertThat(first).isCompletedWithValue(1);
        assertThat(tooLate)
                .isCompletedExceptionally()
                .satisfies(refused ->
                        assertThatThrownBy(refused::join).hasCauseInstanceOf(RateLimitExceededException.class));
        assertThat(second).isNotDone();
        assertCounted(1, 1);
        time.advance(INTERVAL);
        assertThat(second).isCompletedWithValue(2);
        assertThat(third).isNotDone();
        time.advance(INTERVAL);
        assertThat(third).isCompletedWithValue(3);
        assertCounted(3, 1);
        assertThat(limit.waits.hasWork()).isFalse();
    }

    @Test
    void aCallThatIsCancelledWhileItWaitsIsNotMadeAndItsPermitIsUsedUp() {
        callAsync();
        CompletableFuture<Integer> cancelled = callAsync();
        cancelled.cancel(true);
        CompletableFuture<Integer> next = callAsync();

        time.advance(INTERVAL);
        assertThat(made).hasValue(1);
        assertCounted(1, 1);
        time.advance(INTERVAL);
        assertThat(next).isCompletedWithValue(2);
    }

    @Test
    void anInterruptEndsTheWaitAndStaysSet() {
        call();
        Thread.currentThread().interrupt();
        Throwable refused = catchThrowable(this::call);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(refused)
                .isInstanceOf(RateLimitExceededException.class)
                .hasMessageContaining("it was interrupted while it waited for its permit");
        assertCounted(1, 1);
        assertThat(events).containsExactly("rate-limit orders rejected");
    }

    @Test
    void aCallWhoseDeadlineComesBeforeItsPermitIsRefusedAtOnce() throws Exception {
        call();
        Throwable refused = Deadline.in(INTERVAL, time).call(() -> catchThrowable(this::call));
        assertThat(refused)
                .isInstanceOf(DeadlineExceededException.class)
                .hasMessage("The deadline comes before a permit of rate limit 'orders': the call was not made");
        assertThat(time.elapsed()).isZero();

        CompletableFuture<Integer> late = Deadline.in(INTERVAL, time).call(this::callAsync);
        assertThatThrownBy(late::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(DeadlineExceededException.class);
        assertCounted(1, 2);

        assertThat(Deadline.in(INTERVAL.plusNanos(1), time).call(this::call)).isEqualTo(2);
    }

    @Test
    void theEndOfTheApplicationEndsWaitsAndLetsNoneBegin() {
        callAsync();
        CompletableFuture<Integer> waiting = callAsync();

        limit.waits.stop();

        assertThatThrownBy(waiting::join)
                .hasCauseInstanceOf(RateLimitExceededException.class)
                .hasMessageContaining("the application ends, and calls do not wait for a permit any more");
        assertThatThrownBy(this::call)
                .isInstanceOf(RateLimitExceededException.class)
                .hasMessageContaining("the application ends");
        assertCounted(1, 2);
        limit.waits.resume();
        time.advance(INTERVAL);
        assertThat(call()).isEqualTo(2);
    }

    @Test
    void theEndOfTheApplicationEndsTheWaitOfABlockingCall() throws InterruptedException {
        RateLimit real = new RateLimit(
                "real",
                RateLimitPolicy.builder()
                        .permits(1)
                        .period(Duration.ofDays(1))
                        .maxWait(Duration.ofDays(1))
                        .build(),
                Environment.of(dev.resilience.time.TimeSource.system()));
        Pipeline calls = Pipeline.of(real);
        calls.call(() -> 1);
        AtomicReference<Throwable> refused = new AtomicReference<>();
        CountDownLatch begins = new CountDownLatch(1);
        Thread caller = new Thread(() -> {
            begins.countDown();
            refused.set(catchThrowable(() -> calls.call(() -> 2)));
        });
        caller.start();
        begins.await();
        real.close();
        caller.join();
        assertThat(refused.get())
                .isInstanceOf(RateLimitExceededException.class)
                .hasMessageContaining("the application ends");
        assertThat(caller.isInterrupted()).isFalse();
    }

    @Test
    void aBodyThatRunsAfterAWaitIsStoppedWithTheApplication() {
        callAsync();
        CompletableFuture<Integer> body = new CompletableFuture<>();
        CompletableFuture<Integer> call = pipeline.callAsync(() -> body);
        time.advance(INTERVAL);
        assertThat(limit.waits.hasWork()).isTrue();
        limit.waits.stopRunning();
        assertThat(body).isCancelled();
        assertThat(call).isCompletedExceptionally();
        assertThat(limit.waits.hasWork()).isFalse();
    }

    @Test
    void aChangeHoldsForCallsThatComeLater() {
        call();
        RateLimitPolicy changed = RateLimitPolicy.builder()
                .permits(10)
                .period(Duration.ofSeconds(1))
                .burst(3)
                .build();
        limit.reconfigure(changed);
        call();
        call();
        assertThatThrownBy(this::call).isInstanceOf(RateLimitExceededException.class);
        assertThat(limit.policy()).isSameAs(changed);
        assertThatThrownBy(() -> limit.reconfigure(RateLimitPolicy.builder()
                        .store(RateLimitPolicy.Store.REDIS)
                        .build()))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining("cannot change while the application runs");
    }

    @Test
    void aRetryOutsideDoesNotRepeatARefusalUnlessItIsListed() {
        RateLimitPolicy one = RateLimitPolicy.builder()
                .permits(10)
                .period(Duration.ofSeconds(1))
                .burst(1)
                .build();
        RateLimit inner = resilience.rateLimit("inner", one);
        Pipeline plain = resilience.outermostFirst(resilience.retry("plain", RetryPolicy.defaults()), inner);
        plain.call(() -> 1);
        assertThatThrownBy(() -> plain.call(() -> 1)).isInstanceOf(RateLimitExceededException.class);
        assertThat(inner.calls().get(RateLimitOutcome.REJECTED)).isEqualTo(1);

        RetryPolicy listed = RetryPolicy.builder()
                .retryOn(List.of(RateLimitExceededException.class))
                .build();
        assertThat(resilience
                        .outermostFirst(resilience.retry("listed", listed), inner)
                        .call(() -> 2))
                .isEqualTo(2);
    }

    /** Permits of a store that has to be asked. */
    private static final class Asked implements Permits {

        volatile boolean wasAskedOnCallersThread;

        @Override
        public long acquire(long maxWaitNanos, boolean mayBlock) {
            wasAskedOnCallersThread |=
                    mayBlock && Thread.currentThread().getName().equals("caller");
            return mayBlock ? 0 : WOULD_BLOCK;
        }

        @Override
        public Permits reconfigure(RateLimitPolicy policy) {
            return this;
        }
    }

    @Test
    void anAsynchronousCallDoesNotBlockItsThreadForAStore() throws InterruptedException {
        Asked store = new Asked();
        RateLimit shared = new RateLimit(
                "shared",
                RateLimitPolicy.defaults(),
                Environment.of(dev.resilience.time.TimeSource.system()),
                (key, policy) -> store);
        AtomicReference<Integer> result = new AtomicReference<>();
        Thread caller = new Thread(
                () -> result.set(Pipeline.of(shared)
                        .callAsync(() -> CompletableFuture.completedFuture(7))
                        .join()),
                "caller");
        caller.start();
        caller.join();
        assertThat(result.get()).isEqualTo(7);
        assertThat(store.wasAskedOnCallersThread).isFalse();
        assertThat(shared.available()).isNaN();
        shared.close();
    }

    @Test
    void eachKeyHasALimitOfItsOwnAndThoseThatMissAPermitStay() {
        RateLimitPolicy policy = RateLimitPolicy.builder()
                .permits(10)
                .period(Duration.ofSeconds(1))
                .burst(1)
                .maxKeys(10)
                .build();
        RateLimit perCustomer = resilience.rateLimit("customers", policy);
        assertThat(perCustomer.keys()).isNull();
        AtomicReference<String> customer = new AtomicReference<>("greedy");
        Pipeline calls = Pipeline.of(perCustomer.byKey(call -> customer.get()));
        for (int i = 0; i < 9; i++) {
            customer.set("other" + i);
            calls.call(() -> 1);
        }
        time.advance(INTERVAL);
        customer.set("greedy");
        calls.call(() -> 1);
        assertThatThrownBy(() -> calls.call(() -> 1))
                .isInstanceOf(RateLimitExceededException.class)
                .hasMessageContaining("Rate limit 'customers'")
                .hasMessageNotContaining("greedy");
        for (int i = 0; i < 9; i++) {
            customer.set("new" + i);
            calls.call(() -> 1);
        }
        assertThat(perCustomer.keys().size()).isEqualTo(10);
        customer.set("greedy");
        assertThatThrownBy(() -> calls.call(() -> 1)).isInstanceOf(RateLimitExceededException.class);
        assertThat(perCustomer.available()).isEqualTo(1);

        perCustomer.reconfigure(RateLimitPolicy.builder().burst(3).build());
        calls.call(() -> 1);
        calls.call(() -> 1);
        assertThatThrownBy(() -> calls.call(() -> 1)).isInstanceOf(RateLimitExceededException.class);
        assertThat(Pipeline.of(perCustomer.forKey(null)).callAsync(() -> CompletableFuture.completedFuture(1)))
                .isCompletedWithValue(1);
    }

    @Test
    void aChangeOfTheBurstDoesNotHideWhichKeysMissAPermit() {
        RateLimitPolicy.Builder hourly =
                RateLimitPolicy.builder().permits(2).period(Duration.ofHours(1)).maxKeys(10);
        RateLimit perCustomer = resilience.rateLimit("raised", hourly.build());
        Pipeline.of(perCustomer.forKey("greedy")).call(() -> 1);
        for (int i = 0; i < 9; i++) {
            Pipeline.of(perCustomer.forKey("idle" + i)).call(() -> 1);
        }
        time.advance(Duration.ofHours(1));
        Pipeline.of(perCustomer.forKey("greedy")).call(() -> 1);

        perCustomer.reconfigure(hourly.burst(4).build());

        assertThat(perCustomer.keys().count(RateLimit::isAtWork)).isEqualTo(1);
        for (int i = 0; i < 9; i++) {
            Pipeline.of(perCustomer.forKey("new" + i)).call(() -> 1);
        }
        assertThat(perCustomer.keys().find("greedy")).isNotNull();
    }
}
