package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.event.CapturedLog;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.pipeline.Step;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A stage that throws when it is cancelled: its call ends and leaves its place all the same. */
@Timeout(60)
@ParameterizedClass
@EnumSource(value = BulkheadPolicy.Type.class, mode = EnumSource.Mode.EXCLUDE, names = "ADAPTIVE")
class UncancellableStageTests {

    private final CapturedLog log = CapturedLog.of(AsyncCall.class);
    private final BulkheadPolicy.Type type;
    private final TestBulkhead calls;
    private final Call running;
    private final CountDownLatch begun = new CountDownLatch(1);

    UncancellableStageTests(BulkheadPolicy.Type type) {
        this.type = type;
        this.calls = new TestBulkhead(type, 1, 1);
        this.running = calls.start(Caller.ASYNCHRONOUS);
    }

    @AfterEach
    void close() {
        log.close();
    }

    /** Its class is reported once: here one for each type. */
    @Test
    void whenTheCallIsCancelled() {
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            begun.countDown();
            return type == BulkheadPolicy.Type.SEMAPHORE ? new OfSemaphore<>() : new OfThreadPool<>();
        });
        running.end();
        TestBulkhead.deaf(begun);

        assertThat(answer.cancel(true)).isTrue();

        assertEndedAndTheNextCallRuns(answer);
        assertThat(log.single().getFormattedMessage()).contains("could not be cancelled");
        assertThat(log.single().getThrowableProxy()).isNotNull();
        assertThat(CapturedLog.pairsOf(log.single())).containsEntry("event", "cancellation_failed");
    }

    @Test
    void whenTheCallIsCancelledWhileTheBodyMakesTheStage() {
        assertEndedAndTheNextCallRuns(cancelledByItsBody(calls.pipeline));
    }

    @Test
    void whenAStepMakesSuchAFuture() {
        Layer layer = next -> new Step() {
            @Override
            public @Nullable Object call(Invocation invocation) throws Throwable {
                return next.call(invocation);
            }

            @Override
            public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
                CompletableFuture<@Nullable Object> body = next.callAsync(invocation);
                assertThat(body).isNotDone();
                return new Uncancellable<>();
            }
        };

        assertEndedAndTheNextCallRuns(cancelledByItsBody(Pipeline.of(calls.bulkhead, layer)));
    }

    @Test
    void whenThePoolIsStopped() {
        if (type == BulkheadPolicy.Type.SEMAPHORE) {
            return; // has none
        }
        TestBulkhead many = new TestBulkhead(type, 5, 0);
        for (int i = 0; i < 5; i++) {
            many.pipeline.callAsync(Uncancellable::new);
        }

        many.bulkhead.stopPool();

        soon(() -> many.bulkhead.running() == 0 && !many.bulkhead.poolHasWork());
    }

    private CompletableFuture<String> cancelledByItsBody(Pipeline pipeline) {
        CompletableFuture<CompletableFuture<String>> itself = new CompletableFuture<>();
        CompletableFuture<String> answer = pipeline.callAsync(() -> {
            itself.join().cancel(true);
            return new Uncancellable<>();
        });
        itself.complete(answer);
        running.end();
        return answer;
    }

    private void assertEndedAndTheNextCallRuns(CompletableFuture<String> answer) {
        soon(answer::isCancelled);
        soon(() -> calls.bulkhead.running() == 0);
        calls.start(Caller.ASYNCHRONOUS).end();
        calls.assertGauges(0, 0);
        calls.assertCounted(3, 0, 0);
        Thread.interrupted(); // on manual time the call has interrupted this thread
    }

    private static class Uncancellable<T> extends CompletableFuture<T> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            throw new IllegalStateException("of the stage");
        }
    }

    private static final class OfSemaphore<T> extends Uncancellable<T> {}

    private static final class OfThreadPool<T> extends Uncancellable<T> {}
}
