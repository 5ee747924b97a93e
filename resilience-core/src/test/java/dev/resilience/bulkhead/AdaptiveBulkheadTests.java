package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a call that ends in one way or another does to the limit, which calls reach unless there is one caller. */
class AdaptiveBulkheadTests {

    private static final Duration CALL = Duration.ofMillis(50);
    private static final int SOME = 20_000;

    private final ManualTimeSource time = new ManualTimeSource();
    private final Bulkhead bulkhead = new Bulkhead("orders", adaptive(1, 200).build(), Environment.of(time));
    private final Pipeline pipeline = Pipeline.of(bulkhead);
    private final Deque<CompletableFuture<String>> running = new ArrayDeque<>();

    private static BulkheadPolicy.Builder adaptive(int min, int max) {
        return BulkheadPolicy.builder()
                .type(BulkheadPolicy.Type.ADAPTIVE)
                .minConcurrent(min)
                .maxConcurrent(max)
                .maxQueue(5);
    }

    @BeforeEach
    void reachTheLimit() {
        fill();
    }

    @AfterEach
    void permitsAreThere() {
        endRunning();
        assertThat(bulkhead.running()).isZero();
        assertThat(bulkhead.queued()).isZero();
    }

    /** So many run as may, five wait, and one was refused. */
    private void fill() {
        CompletableFuture<Object> last;
        do {
            last = call();
        } while (!last.isCompletedExceptionally());
    }

    private CompletableFuture<Object> call() {
        return pipeline.callAsync(() -> {
            CompletableFuture<Object> body = new CompletableFuture<>();
            CompletableFuture<String> end = new CompletableFuture<>();
            end.whenComplete((result, failure) -> {
                if (failure == null) {
                    body.complete(result);
                } else {
                    body.completeExceptionally(failure);
                }
            });
            running.add(end);
            return body;
        });
    }

    private void endRunning() {
        while (!running.isEmpty()) {
            running.remove().complete("ok");
        }
    }

    private interface End {
        void of(CompletableFuture<String> call);
    }

    /** Ends one after the other, each when it has run for so long. */
    private void endEach(int count, Duration duration, End end) {
        for (int i = 0; i < count; i++) {
            time.advance(duration.dividedBy(bulkhead.limit()));
            end.of(running.remove());
            fill();
        }
    }

    @Test
    void callsThatLastAsLongAsEverRaiseIt() {
        for (int i = 0; i < 300; i++) {
            time.advance(CALL);
            int all = running.size();
            for (int ended = 0; ended < all; ended++) {
                running.remove().complete("ok");
            }
            fill();
        }

        assertThat(bulkhead.limit()).isEqualTo(200);
        assertThat(bulkhead.running()).isEqualTo(200);
    }

    /** A callee that does one call after the other: how long each takes is in proportion to the limit. */
    @Test
    void callsThatQueueElsewhereLowerIt() {
        for (int i = 0; i < SOME; i++) {
            time.advance(CALL);
            running.remove().complete("ok");
            fill();
        }

        assertThat(bulkhead.limit()).isLessThanOrEqualTo(3);
    }

    @Test
    void timeoutsLowerIt() {
        endEach(1_000, CALL, call -> call.complete("ok"));

        endEach(SOME, Duration.ofSeconds(1), call -> call.completeExceptionally(new TimeoutException()));

        assertThat(bulkhead.limit()).isLessThanOrEqualTo(2);
    }

    @Test
    void fastFailuresSayNothing() {
        endEach(1_000, CALL, call -> call.complete("ok"));
        int before = bulkhead.limit();
        LimitSearch search = bulkhead.adaptive.search();

        endEach(100, Duration.ofMillis(1), call -> call.completeExceptionally(new IllegalStateException()));

        assertThat(bulkhead.limit()).isEqualTo(before);
        assertThat(bulkhead.adaptive.search()).isEqualTo(search);
    }

    @Test
    void fastFailuresSayNothingHoweverLongTheyLast() {
        endEach(1_000, CALL, call -> call.complete("ok"));
        int before = bulkhead.limit();

        endEach(SOME, Duration.ofMillis(10), call -> call.completeExceptionally(new ConnectException("refused")));

        assertThat(bulkhead.limit()).isEqualTo(before);
    }

    @Test
    void fastFailuresFromTheStartSayNothing() {
        endEach(SOME, Duration.ofMillis(1), call -> call.completeExceptionally(new ConnectException("refused")));
        endEach(100, Duration.ofSeconds(10), call -> call.completeExceptionally(new ConnectException("refused")));

        assertThat(bulkhead.limit()).isEqualTo(20);
    }

    @Test
    void slowFailuresOfTheCallersOwnMakingSayNothing() {
        endEach(1_000, CALL, call -> call.complete("ok"));
        int before = bulkhead.limit();

        endEach(1_000, CALL.multipliedBy(3), call -> call.completeExceptionally(new IllegalArgumentException()));

        assertThat(bulkhead.limit()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4})
    void slowFailuresOfOneCallerSayNothing(int hitsOfTen) {
        endRunning();
        oneAfterTheOther(500, 10, new IOException());
        int before = bulkhead.limit();

        oneAfterTheOther(5_000, hitsOfTen, new IOException());

        assertThat(bulkhead.limit()).isEqualTo(before);
    }

    /** Hits take 2 ms, failures 20. */
    private void oneAfterTheOther(int count, int hitsOfTen, Exception failure) {
        for (int i = 0; i < count; i++) {
            boolean isHit = i % 10 < hitsOfTen;
            pipeline.callAsync(() -> {
                time.advance(Duration.ofMillis(isHit ? 2 : 20));
                return isHit ? CompletableFuture.completedFuture("ok") : CompletableFuture.failedFuture(failure);
            });
        }
    }

    @Test
    void callsThatHangFromTheStartLowerIt() {
        for (int i = 0; i < 4_000; i++) {
            time.advance(Duration.ofMillis(100));
            fill();
        }

        assertThat(bulkhead.limit()).isLessThanOrEqualTo(2);
    }

    /** It is reached from time to time, by calls that end. */
    @Test
    void burstsDoNotLowerIt() {
        endEach(1_000, CALL, call -> call.complete("ok"));
        int before = bulkhead.limit();

        for (int i = 0; i < 100; i++) {
            endRunning();
            time.advance(Duration.ofSeconds(10));
            fill();
            time.advance(CALL);
        }

        assertThat(bulkhead.limit()).isGreaterThanOrEqualTo(before);
    }

    /** Longer than it is waited for at first: found to be no hang as soon as some have ended. */
    @Test
    void callsOfAMinuteDoNotLowerItToTheLeast() {
        for (int i = 0; i < 1_000; i++) {
            time.advance(Duration.ofSeconds(1));
            fill();
            if (i % 60 == 59) {
                int all = running.size();
                for (int ended = 0; ended < all; ended++) {
                    running.remove().complete("ok");
                }
                fill();
            }
        }

        assertThat(bulkhead.adaptive.search().limit()).isGreaterThan(10);
    }

    @Test
    void cancelledCallsSayNothing() {
        LimitSearch search = bulkhead.adaptive.search();

        endEach(1_000, CALL, call -> call.cancel(true));

        assertThat(bulkhead.adaptive.search()).isEqualTo(search);
    }

    @Test
    void callsThatHangLowerItThoughNoneEnds() {
        endEach(1_000, CALL, call -> call.complete("ok"));
        int before = bulkhead.limit();

        for (int i = 0; i < 600; i++) {
            time.advance(Duration.ofMillis(100));
            fill(); // one that is refused
        }

        assertThat(bulkhead.limit()).isLessThan(before).isLessThanOrEqualTo(2);
    }

    @Test
    void aFullQueueRefusesAndNamesTheLimitThatHolds() {
        assertThatExceptionOfType(BulkheadFullException.class)
                .isThrownBy(() -> pipeline.call(() -> "never"))
                .withMessageEndingWith("20 calls run and 5 wait, which are the limits");
    }

    @Test
    void aClockThatStandsStillEndsNothing() {
        endEach(SOME, Duration.ZERO, call -> call.complete("ok"));

        assertThat(bulkhead.limit()).isBetween(1, 200);
    }

    @Test
    void waitingForAPermitIsNoPartOfACall() throws Exception {
        endEach(2_000, CALL, call -> call.complete("ok"));

        // a permit is held for 50 ms, and was waited for as long as five more took
        assertThat(Math.exp(bulkhead.adaptive.search().base()) / 1e6).isBetween(20.0, 60.0);
    }

    @Test
    void otherBoundsHoldAtOnceAndWhatIsKnownIsKept() {
        endEach(1_000, CALL, call -> call.complete("ok"));
        double base = bulkhead.adaptive.search().base();

        bulkhead.reconfigure(adaptive(3, 5).build());

        assertThat(bulkhead.limit()).isEqualTo(5);
        assertThat(bulkhead.adaptive.search().base()).isEqualTo(base);
        bulkhead.reconfigure(adaptive(30, 50).build());
        assertThat(bulkhead.limit()).isEqualTo(30);
    }

    @Test
    void aChangeOfSomethingElseKeepsTheWindow() {
        for (int i = 0; i < 100; i++) {
            endEach(50, CALL, call -> call.complete("ok"));
            bulkhead.reconfigure(adaptive(1, 200).maxQueue(5 + i % 2).build());
        }

        assertThat(bulkhead.adaptive.search().base()).isNotNaN();
        assertThat(bulkhead.adaptive.search().limit()).isNotEqualTo(20);
    }

    @Test
    void standsStillWhileItIsNotEnforced() {
        bulkhead.reconfigure(adaptive(1, 200).enforce(0).build());
        LimitSearch before = bulkhead.adaptive.search();

        for (int i = 0; i < SOME; i++) {
            time.advance(Duration.ofMillis(5));
            running.remove().complete("ok");
            call();
        }

        assertThat(bulkhead.adaptive.search()).isEqualTo(before);
        endRunning();
        bulkhead.reconfigure(adaptive(1, 200).build());
        fill();
        endEach(1_000, CALL, call -> call.complete("ok"));
        assertThat(bulkhead.adaptive.search()).isNotEqualTo(before);
    }

    @Test
    void anotherTypeHasTheLimitOfThePolicy() {
        bulkhead.reconfigure(BulkheadPolicy.builder().maxConcurrent(7).build());

        assertThat(bulkhead.limit()).isEqualTo(7);
        endEach(1_000, CALL, call -> call.complete("ok")); // those that it has let in before, too
        assertThat(bulkhead.limit()).isEqualTo(7);
    }

    @Test
    void eachPartAdaptsByItself() {
        Bulkhead part = bulkhead.part("a", true);

        bulkhead.reconfigure(adaptive(1, 100).build());

        assertThat(part.adaptive).isNotNull().isNotSameAs(bulkhead.adaptive);
        assertThat(part.limit()).isEqualTo(20);
        assertThat(bulkhead.hasOneLimit()).isFalse();
        assertThat(part.hasOneLimit()).isTrue();
    }
}
