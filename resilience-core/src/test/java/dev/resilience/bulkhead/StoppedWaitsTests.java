package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.event.BulkheadOutcome;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The line of a bulkhead when the application ends. */
@Timeout(60)
class StoppedWaitsTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final Bulkhead bulkhead = new Bulkhead(
            "orders", BulkheadPolicy.builder().maxConcurrent(1).maxQueue(5).build(), Environment.of(time));
    private final Pipeline pipeline = Pipeline.of(bulkhead);
    private final CompletableFuture<String> first = new CompletableFuture<>();
    private final CompletableFuture<String> running = pipeline.callAsync(() -> first);

    @Test
    void isEmptiedAndItsCallsAreRejected() {
        CompletableFuture<String> later = pipeline.callAsync(() -> CompletableFuture.completedFuture("later"));
        CompletableFuture<String> blocking = CompletableFuture.supplyAsync(() -> call("blocking"));
        await().until(() -> bulkhead.queued() == 2);

        bulkhead.stopWaits();

        assertThat(later)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(BulkheadFullException.class);
        assertThat(blocking)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(BulkheadFullException.class);
        assertThat(bulkhead.calls().get(BulkheadOutcome.REJECTED)).isEqualTo(2);
        assertThat(bulkhead.queued()).isZero();
        first.complete("first");
        assertThat(running).isCompletedWithValue("first");
    }

    @Test
    void takesNobodyWhileWaitsAreStopped() {
        bulkhead.stopWaits();

        assertThatThrownBy(() -> call("second"))
                .isInstanceOf(BulkheadFullException.class)
                .hasMessageContaining("the application ends");

        first.complete("first");
        assertThat(call("third")).isEqualTo("third");
    }

    @Test
    void takesCallsAgainAfterwards() {
        bulkhead.stopWaits();
        bulkhead.resume();

        CompletableFuture<String> later = pipeline.callAsync(() -> CompletableFuture.completedFuture("later"));

        assertThat(bulkhead.queued()).isEqualTo(1);
        first.complete("first");
        assertThat(later).isCompletedWithValue("later");
    }

    private String call(String answer) {
        try {
            return pipeline.call(() -> answer);
        } catch (RuntimeException refused) {
            throw refused;
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        }
    }
}
