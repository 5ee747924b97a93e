package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.concurrency.StubTime;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.pipeline.Pipeline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A time that fails those who wait, as it may when the system has no thread left: it costs no place and no call. */
@ParameterizedClass
@EnumSource(BulkheadPolicy.Type.class)
class BrokenTimeTests {

    private final Bulkhead bulkhead;
    private final Pipeline pipeline;

    BrokenTimeTests(BulkheadPolicy.Type type) {
        BulkheadPolicy policy =
                BulkheadPolicy.builder().type(type).maxConcurrent(1).maxQueue(1).build();
        this.bulkhead =
                new Bulkhead("orders", policy, new BrokenTime(), new EventPublisher(), ContextCarrier.standard());
        this.pipeline = Pipeline.of(bulkhead);
    }

    @Test
    void aBlockingCallerLeavesTheLine() {
        CompletableFuture<String> running = startRunning();

        assertThatThrownBy(() -> pipeline.call(() -> "never")).isInstanceOf(OutOfMemoryError.class);

        assertAllIsWellOnce(running);
    }

    @Test
    void anAsynchronousCallLeavesTheLine() {
        CompletableFuture<String> running = startRunning();

        assertThat(pipeline.callAsync(CompletableFuture::new))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(OutOfMemoryError.class);

        assertAllIsWellOnce(running);
    }

    private CompletableFuture<String> startRunning() {
        CompletableFuture<String> running = new CompletableFuture<>();
        pipeline.callAsync(() -> running);
        TestBulkhead.soon(() -> bulkhead.running() == 1);
        return running;
    }

    private void assertAllIsWellOnce(CompletableFuture<String> running) {
        assertThat(bulkhead.queued()).isZero();
        assertThat(bulkhead.calls().get(BulkheadOutcome.REJECTED)).isEqualTo(1);
        running.complete("ok");
        TestBulkhead.soon(() -> bulkhead.running() == 0);
        assertThat(startRunning()).isNotDone();
        assertThat(bulkhead.calls().total()).isEqualTo(3);
    }

    private static final class BrokenTime extends StubTime {

        @Override
        public void park(Object blocker, Duration atMost) {
            throw new OutOfMemoryError("no thread");
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            throw new OutOfMemoryError("no thread");
        }
    }
}
