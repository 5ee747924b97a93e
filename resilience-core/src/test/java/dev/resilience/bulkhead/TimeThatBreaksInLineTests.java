package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Pipeline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A time that fails at the very moment when something happens to the one who waits. */
@Timeout(60)
@ParameterizedClass
@EnumSource(BulkheadPolicy.Type.class)
class TimeThatBreaksInLineTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final Time time = new Time();
    private final BulkheadPolicy.Type type;
    private final Bulkhead bulkhead;
    private final Pipeline pipeline;
    private final CompletableFuture<String> running = new CompletableFuture<>();
    private final CompletableFuture<String> leaver;

    TimeThatBreaksInLineTests(BulkheadPolicy.Type type) {
        BulkheadPolicy policy =
                BulkheadPolicy.builder().type(type).maxConcurrent(1).maxQueue(1).build();
        this.type = type;
        this.bulkhead = new Bulkhead("orders", policy, time, new EventPublisher(), ContextCarrier.standard());
        this.pipeline = Pipeline.of(bulkhead);
        this.leaver = pipeline.callAsync(() -> running);
        soon(() -> running.getNumberOfDependents() > 0); // so it leaves its place on the thread that completes it
    }

    @Test
    void aClockThatFailsBeforeTheCallStandsInLineFailsTheCall() {
        time.clock = () -> {};

        assertThat(pipeline.callAsync(CompletableFuture::new))
                .failsWithin(SOON)
                .withThrowableThat()
                .withCauseInstanceOf(OutOfMemoryError.class);

        assertCounted(1, 1);
        assertAllLeaveTheirPlaces();
    }

    @Test
    void aTimerThatCannotBeSetDoesNotEndACallThatHasItsPlaceByThen() {
        time.timer = this::placeIsHandedOver;
        CompletableFuture<String> stage = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);

        CompletableFuture<String> answer = pipeline.callAsync(() -> {
            begun.countDown();
            return stage;
        });

        soon(() -> begun.getCount() == 0);
        assertThat(answer).isNotDone();
        assertThat(bulkhead.running()).isEqualTo(1);
        stage.complete("ok");
        assertThat(answer).succeedsWithin(SOON).isEqualTo("ok");
        assertCounted(2, 0);
        assertAllLeaveTheirPlaces();
    }

    @Test
    void aThreadThatCannotParkGivesThePlaceBackThatItHasByThen() {
        time.park = this::placeIsHandedOver;

        assertThatThrownBy(() -> pipeline.call(() -> "never")).isInstanceOf(OutOfMemoryError.class);

        assertCounted(2, 0);
        assertAllLeaveTheirPlaces();
    }

    @Test
    void aThreadThatCannotParkGivesNothingBackIfItWasSentAway() {
        if (type == BulkheadPolicy.Type.SEMAPHORE) {
            return; // nobody is sent away
        }
        time.park = () -> {
            bulkhead.stopPool();
            soon(() -> bulkhead.running() == 0);
        };

        assertThatThrownBy(() -> pipeline.call(() -> "never")).isInstanceOf(OutOfMemoryError.class);

        assertCounted(1, 1);
        assertAllLeaveTheirPlaces();
    }

    @Test
    void aCallThatFindsNoThreadToGoOnCostsNoPlace() {
        if (type == BulkheadPolicy.Type.THREAD_POOL) {
            return; // goes on in the pool
        }
        CompletableFuture<String> waiting = pipeline.callAsync(CompletableFuture::new);
        time.timer = () -> {};

        running.complete("ok");

        assertThat(leaver).isCompletedWithValue("ok");
        assertThat(waiting).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(OutOfMemoryError.class);
        assertAllLeaveTheirPlaces();
    }

    @Test
    void aWaitEndsThoughNoThreadIsLeftForItsEnd() {
        CompletableFuture<String> waiting = pipeline.callAsync(CompletableFuture::new);
        time.timer = () -> {};

        time.timerGoesOff();

        assertThat(waiting).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(BulkheadFullException.class);
        assertThat(bulkhead.calls().get(BulkheadOutcome.TIMED_OUT)).isEqualTo(1);
        assertAllLeaveTheirPlaces();
    }

    private void placeIsHandedOver() {
        running.complete("ok");
        soon(() -> leaver.isDone() && bulkhead.queued() == 0);
    }

    private void assertCounted(long accepted, long rejected) {
        assertThat(bulkhead.calls().get(BulkheadOutcome.ACCEPTED)).isEqualTo(accepted);
        assertThat(bulkhead.calls().get(BulkheadOutcome.REJECTED)).isEqualTo(rejected);
    }

    private void assertAllLeaveTheirPlaces() {
        assertThat(time.unexpected).isNull();
        time.mend();
        assertThat(bulkhead.queued()).isZero();
        running.complete("ok");
        soon(() -> bulkhead.running() == 0);
        assertThat(pipeline.callAsync(() -> CompletableFuture.completedFuture("next")))
                .succeedsWithin(SOON)
                .isEqualTo("next");
        soon(() -> bulkhead.running() == 0);
    }

    /** Fails where something is to happen, right after that. */
    private static final class Time extends AtOnceTime {

        volatile @Nullable Runnable clock;
        volatile @Nullable Runnable timer;
        volatile @Nullable Runnable park;
        volatile @Nullable Throwable unexpected;

        void mend() {
            clock = null;
            timer = null;
            park = null;
        }

        @Override
        public long nanoTime() {
            breakAfter(clock);
            return super.nanoTime();
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            breakAfter(timer);
            return super.schedule(delay, task);
        }

        @Override
        public void park(Object blocker, Duration atMost) {
            breakAfter(park);
        }

        private void breakAfter(@Nullable Runnable event) {
            if (event != null) {
                mend();
                try {
                    event.run();
                } catch (RuntimeException | Error failure) { // which a caller might take for the fault that is tried
                    unexpected = failure;
                }
                throw new OutOfMemoryError("no thread");
            }
        }
    }
}
