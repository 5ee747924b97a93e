package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.CallQueued;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Pipeline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Calls that have a place, and have not reached the pool when it is stopped. */
@Timeout(60)
class StoppedOnTheWayTests {

    private final CountDownLatch onItsWay = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @Test
    void aCallerThatWaitedIsInterrupted() {
        TestBulkhead calls = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 1, 1);
        calls.heard.add(event -> {
            if (event instanceof CallQueued) {
                hold();
            }
        });
        Call running = calls.start(Caller.BLOCKING_FOR_POOL);
        Call waiting = calls.start(Caller.BLOCKING_FOR_POOL);
        running.end();
        TestBulkhead.deaf(onItsWay);

        calls.bulkhead.stopPool();
        goOn.countDown();

        assertFailsWith(InterruptedException.class, waiting);
        soon(() -> !calls.bulkhead.poolHasWork());
        calls.assertGauges(0, 0);
        calls.assertCounted(2, 0, 0);
        calls.start(Caller.BLOCKING_FOR_POOL).end();
    }

    @Test
    void anAsynchronousCallThatWaitedDoesNotBegin() {
        AtOnceTime time = new AtOnceTime() {
            @Override
            public Scheduled schedule(Duration delay, Runnable task) {
                super.schedule(delay, task);
                return StoppedOnTheWayTests.this::hold; // when the place is given
            }
        };
        BulkheadPolicy policy = BulkheadPolicy.builder()
                .type(BulkheadPolicy.Type.THREAD_POOL)
                .maxConcurrent(1)
                .build();
        Bulkhead bulkhead = new Bulkhead("orders", policy, time, new EventPublisher(), ContextCarrier.standard());
        CompletableFuture<String> running = new CompletableFuture<>();
        Pipeline.of(bulkhead).callAsync(() -> running);
        CompletableFuture<String> waiting =
                Pipeline.of(bulkhead).callAsync(() -> CompletableFuture.completedFuture("never"));
        TestBulkhead.startThread(() -> String.valueOf(running.complete("ok")));
        TestBulkhead.deaf(onItsWay);

        bulkhead.stopPool();
        goOn.countDown();

        assertThat(waiting)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(BulkheadFullException.class);
        soon(() -> bulkhead.running() == 0 && !bulkhead.poolHasWork());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    void aCallWhoseContextIsBeingTakenIsStoppedToo(Caller caller) {
        TestBulkhead calls = new TestBulkhead(caller.type, 1, 0, task -> {
            hold();
            return task;
        });
        Call call = TestBulkhead.startThread(() -> caller.isBlocking()
                ? calls.pipeline.call(StoppedOnTheWayTests::blocked)
                : calls.pipeline
                        .callAsync(() -> CompletableFuture.completedFuture("never"))
                        .join());
        TestBulkhead.deaf(onItsWay);
        calls.assertGauges(1, 0);

        calls.bulkhead.stopPool();
        goOn.countDown();

        assertFailsWith(caller.isBlocking() ? InterruptedException.class : BulkheadFullException.class, call);
        soon(() -> calls.bulkhead.running() == 0 && !calls.bulkhead.poolHasWork());
    }

    private void hold() {
        onItsWay.countDown();
        TestBulkhead.deaf(goOn);
    }

    private static String blocked() throws InterruptedException {
        new CountDownLatch(1).await();
        return "never";
    }

    private static void assertFailsWith(Class<? extends Throwable> type, Call call) {
        assertThat(call.answer())
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(type);
    }
}
