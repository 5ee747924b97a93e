package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The timer of an asynchronous call that waits in line. */
@Timeout(60)
@ParameterizedClass
@EnumSource(BulkheadPolicy.Type.class)
class TimerOfWaitTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final Time time = new Time();
    private final Bulkhead bulkhead;
    private final Pipeline pipeline;
    private final CompletableFuture<String> running = new CompletableFuture<>();
    private final CompletableFuture<String> waiting;

    TimerOfWaitTests(BulkheadPolicy.Type type) {
        BulkheadPolicy policy =
                BulkheadPolicy.builder().type(type).maxConcurrent(1).maxQueue(1).build();
        this.bulkhead = new Bulkhead("orders", policy, Environment.of(time));
        this.pipeline = Pipeline.of(bulkhead);
        CompletableFuture<String> unused = pipeline.callAsync(() -> running);
        this.waiting = pipeline.callAsync(() -> CompletableFuture.completedFuture("waited"));
        assertThat(bulkhead.queued()).isEqualTo(1);
        assertThat(time.hasTimer()).isTrue();
    }

    @Test
    void isSwitchedOffWhenThePlaceIsGiven() {
        running.complete("ok");

        assertThat(waiting).succeedsWithin(SOON);
        assertThat(time.hasTimer()).isFalse();
    }

    @Test
    void isSwitchedOffWhenTheCallIsCancelled() {
        waiting.cancel(true);

        assertThat(time.hasTimer()).isFalse();
    }

    @Test
    void andWhatGoesOnAfterTheWaitStandBehindNobodysSlowCode() {
        running.complete("ok");

        assertThat(waiting).succeedsWithin(SOON);
        assertThat(time.notUrgent).hasValue(0);
    }

    /** Its caller knows that it failed: were it made later, a caller who tries again would have two effects. */
    @Test
    void aCallWhoseTimerCannotBeSetIsNeverMade() {
        waiting.cancel(true);
        time.isBroken = true;
        AtomicInteger made = new AtomicInteger();
        CompletableFuture<String> failed = pipeline.callAsync(() -> {
            made.incrementAndGet();
            return CompletableFuture.completedFuture("made");
        });
        assertThat(failed)
                .completesExceptionallyWithin(SOON)
                .withThrowableThat()
                .withMessageContaining("no timer");
        time.isBroken = false;

        running.complete("ok");

        await().atMost(SOON).until(() -> bulkhead.queued() == 0 && bulkhead.running() == 0);
        assertThat(made).hasValue(0);
        assertThat(pipeline.callAsync(() -> CompletableFuture.completedFuture("next")))
                .succeedsWithin(SOON);
    }

    private static final class Time extends AtOnceTime {

        boolean isBroken;

        final AtomicInteger notUrgent = new AtomicInteger();

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            notUrgent.incrementAndGet();
            return super.schedule(delay, task);
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task, Executor ofTheLibrary) {
            if (isBroken) {
                throw new IllegalStateException("no timer");
            }
            return super.schedule(delay, task);
        }
    }
}
