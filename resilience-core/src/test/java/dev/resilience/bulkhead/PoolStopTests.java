package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The end of a pool whose application stops. */
@Timeout(60)
class PoolStopTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final TestBulkhead calls = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 1, 1);

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    void sendsAwayWhoIsInLine(Caller caller) {
        Call running = calls.start(caller);
        Call inLine = calls.start(caller);

        calls.bulkhead.stopPool();

        assertThat(inLine.refusal()).isInstanceOf(BulkheadFullException.class).hasMessageContaining("stopped");
        running.body().complete("ok");
        soon(running.answer()::isDone);
        soon(() -> calls.bulkhead.running() == 0);
        calls.assertGauges(0, 0);
        calls.assertCounted(1, 1, 0);
        assertThat(calls.bulkhead.poolHasWork()).isFalse();
        calls.start(caller).end();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_NONE, names = ".*POOL")
    void whatRunsOnItsCallersThreadIsNotStopped(Caller caller) {
        TestBulkhead semaphore = new TestBulkhead(1, 1);
        Call running = semaphore.start(caller);
        Call inLine = semaphore.start(caller);
        assertThat(semaphore.bulkhead.poolHasWork()).isFalse();

        semaphore.bulkhead.stopPool();

        semaphore.assertGauges(1, 1);
        running.end();
        inLine.assertRunsSoon();
        inLine.end();
    }

    @Test
    void aPoolThatIsNoLongerOneHasWorkUntilItsCallsHaveEnded() {
        Call running = calls.start(Caller.BLOCKING_FOR_POOL);
        calls.bulkhead.reconfigure(BulkheadPolicy.defaults());
        assertThat(calls.bulkhead.poolHasWork()).isTrue();

        running.end();

        soon(() -> !calls.bulkhead.poolHasWork());
    }

    /** The place that an interrupted body leaves is for nobody who is being sent away. */
    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    void runsNobodyWhomItSendsAway(Caller caller) {
        TestBulkhead many = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 1, 3);
        for (int round = 1; round <= 200; round++) {
            Call running = many.start(Caller.BLOCKING_FOR_POOL);
            List<Call> inLine = List.of(many.start(caller), many.start(caller), many.start(caller));

            many.bulkhead.stopPool();

            inLine.forEach(call -> assertThat(call.refusal()).hasMessageContaining("stopped"));
            soon(running.answer()::isDone);
            soon(() -> many.bulkhead.running() == 0);
            many.assertCounted(round, 3L * round, 0);
        }
    }

    @Test
    void waitsForNothingThatIsDoneWhenAFutureEnds() {
        Bulkhead bulkhead = Resilience.create()
                .bulkhead(
                        "orders",
                        BulkheadPolicy.builder()
                                .type(BulkheadPolicy.Type.THREAD_POOL)
                                .maxConcurrent(1)
                                .build());
        Pipeline pipeline = Pipeline.of(bulkhead);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch latch = new CountDownLatch(1);
        CompletableFuture<String> running = pipeline.callAsync(() -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException ofPool) {
                interrupted.countDown();
            }
            TestBulkhead.deaf(latch);
            return CompletableFuture.completedFuture("of the one that ran");
        });
        CompletableFuture<String> first =
                pipeline.callAsync(CompletableFuture<String>::new).exceptionally(sentAway -> running.join());
        CompletableFuture<String> second =
                pipeline.callAsync(CompletableFuture<String>::new).exceptionally(sentAway -> "sent away");
        soon(() -> begun.getCount() == 0);

        Call stop = TestBulkhead.startThread(() -> {
            bulkhead.stopPool();
            return "stopped";
        });

        assertThat(stop.answer()).succeedsWithin(SOON);
        soon(() -> interrupted.getCount() == 0);
        assertThat(second).succeedsWithin(SOON).isEqualTo("sent away");
        assertThat(first).isNotDone();
        latch.countDown();
        assertThat(first).succeedsWithin(SOON).isEqualTo("of the one that ran");
    }

    @Test
    void waitsForNothingThatIsDoneWhenAStageIsCancelled() {
        Bulkhead bulkhead = Resilience.create()
                .bulkhead(
                        "orders",
                        BulkheadPolicy.builder()
                                .type(BulkheadPolicy.Type.THREAD_POOL)
                                .build());
        CountDownLatch latch = new CountDownLatch(1);
        CompletableFuture<String> slow = new CompletableFuture<>();
        CompletableFuture<Boolean> whatIsDone = slow.handle((result, failure) -> {
            TestBulkhead.deaf(latch);
            return true;
        });
        List<CompletableFuture<String>> stages = List.of(slow, new CompletableFuture<>(), new CompletableFuture<>());
        CountDownLatch begun = new CountDownLatch(stages.size());
        stages.forEach(stage -> Pipeline.of(bulkhead).callAsync(() -> {
            begun.countDown();
            return stage;
        }));
        soon(() -> begun.getCount() == 0);

        Call stop = TestBulkhead.startThread(() -> {
            bulkhead.stopPool();
            return "stopped";
        });

        assertThat(stop.answer()).succeedsWithin(SOON);
        soon(() -> stages.stream().allMatch(CompletableFuture::isCancelled));
        latch.countDown();
        assertThat(whatIsDone).succeedsWithin(SOON);
        soon(() -> bulkhead.running() == 0);
    }

    @Test
    void cancelsAStageThatIsPendingWithoutAThread() {
        Call pending = calls.start(Caller.ASYNCHRONOUS_FOR_POOL);

        calls.bulkhead.stopPool();

        soon(pending.body()::isCancelled);
        soon(pending.answer()::isCompletedExceptionally);
        soon(() -> !calls.bulkhead.poolHasWork());
        calls.assertGauges(0, 0);
        calls.start(Caller.ASYNCHRONOUS_FOR_POOL).end();
    }

    @Test
    void leavesNoTimerOfACallThatItSendsAway() {
        AtOnceTime time = new AtOnceTime();
        Bulkhead bulkhead = new Bulkhead(
                "orders",
                BulkheadPolicy.builder()
                        .type(BulkheadPolicy.Type.THREAD_POOL)
                        .maxConcurrent(1)
                        .build(),
                Environment.of(time));
        Pipeline.of(bulkhead).callAsync(CompletableFuture::new);
        Pipeline.of(bulkhead).callAsync(CompletableFuture::new);
        assertThat(time.hasTimer()).isTrue();

        bulkhead.stopPool();

        assertThat(time.hasTimer()).isFalse();
    }
}
