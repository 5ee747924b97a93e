package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.CapturedLog;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.worker.CancellableTimer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
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

    private final CapturedLog log = CapturedLog.of(CancellableTimer.class);
    private final Time time = new Time();
    private final Bulkhead bulkhead;
    private final Pipeline pipeline;
    private final CompletableFuture<String> running = new CompletableFuture<>();
    private final CompletableFuture<String> leaver;
    private final CompletableFuture<String> waiting;

    TimerOfWaitTests(BulkheadPolicy.Type type) {
        BulkheadPolicy policy =
                BulkheadPolicy.builder().type(type).maxConcurrent(1).maxQueue(1).build();
        this.bulkhead = new Bulkhead("orders", policy, time, new EventPublisher(), ContextCarrier.standard());
        this.pipeline = Pipeline.of(bulkhead);
        this.leaver = pipeline.callAsync(() -> running);
        this.waiting = pipeline.callAsync(() -> CompletableFuture.completedFuture("waited"));
        assertThat(bulkhead.queued()).isEqualTo(1);
        assertThat(time.hasTimer()).isTrue();
    }

    @AfterEach
    void close() {
        log.close();
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
    void thatCannotBeSwitchedOffTakesNobodysPlaceAndNobodysResult() {
        time.broken = true;

        running.complete("ok");

        assertThat(leaver).succeedsWithin(SOON).isEqualTo("ok");
        assertThat(waiting).succeedsWithin(SOON).isEqualTo("waited");
        time.timerGoesOff();
        soon(() -> bulkhead.running() == 0);
        assertThat(log.events()).hasSize(1);
        assertThat(pipeline.callAsync(() -> CompletableFuture.completedFuture("next")))
                .succeedsWithin(SOON);
    }

    @Test
    void thatCannotBeSwitchedOffKeepsNobodyInLine() {
        time.broken = true;

        assertThat(waiting.cancel(true)).isTrue();

        assertThat(waiting).isCancelled();
        assertThat(bulkhead.queued()).isZero();
        time.timerGoesOff();
        assertThat(bulkhead.calls().total()).isEqualTo(2);
        running.complete("ok");
        assertThat(leaver).succeedsWithin(SOON).isEqualTo("ok");
    }

    @Test
    void andWhatGoesOnAfterTheWaitStandBehindNobodysSlowCode() {
        running.complete("ok");

        assertThat(waiting).succeedsWithin(SOON);
        assertThat(time.notUrgent).hasValue(0);
    }

    private static final class Time extends AtOnceTime {

        final AtomicInteger notUrgent = new AtomicInteger();
        volatile boolean broken;

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            notUrgent.incrementAndGet();
            return super.schedule(delay, task);
        }

        @Override
        public Scheduled scheduleUrgent(Duration delay, Runnable task) {
            Scheduled timer = super.schedule(delay, task);
            return () -> {
                if (broken) {
                    throw new IllegalStateException("of the timer");
                }
                timer.cancel();
            };
        }
    }
}
