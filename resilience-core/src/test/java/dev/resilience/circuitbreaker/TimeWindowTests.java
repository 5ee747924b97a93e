package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.window.CallWindow.Thresholds;
import dev.resilience.circuitbreaker.window.TimeWindow;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** A window of 20 s, whose buckets are a second long. */
class TimeWindowTests {

    private final ManualTimeSource time = new ManualTimeSource();

    private TimeWindow window(double failureRate, double slowRate) {
        return new TimeWindow(Duration.ofSeconds(20), new Thresholds(1, failureRate, slowRate), time);
    }

    @Test
    void holdsACallForNineteenTwentiethsOfItsLengthAtLeast() {
        time.advance(Duration.ofDays(7));
        TimeWindow window = window(1, 0);
        time.advance(Duration.ofMillis(999));
        window.record(true, false, time.coarseNanoTime());

        time.advance(Duration.ofSeconds(19));

        assertThat(window.failureRate()).isEqualTo(1);
    }

    @Test
    void neverHoldsACallForLongerThanItsLength() {
        TimeWindow window = window(1, 0);
        window.record(true, false, time.coarseNanoTime());

        time.advance(Duration.ofSeconds(20));

        assertThat(window.failureRate()).isNaN();
    }

    @Test
    void isEmptyAfterALongSilence() {
        TimeWindow window = window(1, 0);
        for (int i = 0; i < 20; i++) {
            window.record(true, true, time.coarseNanoTime());
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(window.failureRate()).isEqualTo(1);

        time.advance(Duration.ofDays(365));

        assertThat(window.failureRate()).isNaN();
        assertThat(window.record(false, false, time.coarseNanoTime())).isNull();
        assertThat(window.failureRate()).isZero();
    }

    @Test
    void losesItsCallsBucketByBucket() {
        TimeWindow window = window(0.01, 0);
        for (int second = 0; second < 20; second++) {
            window.record(second < 10, false, time.coarseNanoTime());
            time.advance(Duration.ofSeconds(1));
        }

        for (int lost = 1; lost <= 10; lost++) {
            assertThat(window.failureRate()).isEqualTo((10.0 - lost) / (20 - lost));
            time.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void addsUpFailuresAndSlowCallsApart() {
        TimeWindow window = window(0.75, 0.5);
        assertThat(window.record(true, false, time.coarseNanoTime())).isNotNull();
        assertThat(window.record(false, false, time.coarseNanoTime())).isNull();
        assertThat(window.record(false, true, time.coarseNanoTime())).isNull();

        assertThat(window.record(true, true, time.coarseNanoTime()))
                .as("half of the calls were slow")
                .isNotNull();
        assertThat(window.failureRate()).isEqualTo(0.5);
    }

    @Test
    void isReachedBySuccessesAsLongAsItHoldsEnoughTrouble() {
        TimeWindow window = window(0.1, 0);
        window.record(true, false, time.coarseNanoTime());
        time.advance(Duration.ofSeconds(19));
        assertThat(window.record(false, false, time.coarseNanoTime())).isNotNull();

        time.advance(Duration.ofSeconds(1));
        assertThat(window.record(false, false, time.coarseNanoTime())).isNull();
    }

    @Test
    void neverSeesMoreSlowCallsOrFailuresThanCalls() throws Exception {
        double impossible = 1 + 1e-9;
        TimeWindow window = window(impossible, impossible);
        Callable<Integer> slowFailures = () -> {
            int reached = 0;
            for (int call = 0; call < 300_000; call++) {
                reached += window.record(true, true, time.coarseNanoTime()) != null ? 1 : 0;
            }
            return reached;
        };
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            for (Future<Integer> reached : pool.invokeAll(List.of(slowFailures, slowFailures))) {
                assertThat(reached.get()).isZero();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void mayBeShorterThanItsBucketsAreMany() {
        TimeWindow window = new TimeWindow(Duration.ofNanos(1), new Thresholds(1, 1, 0), time);

        assertThat(window.record(true, false, time.coarseNanoTime())).isNotNull();
        time.advance(Duration.ofNanos(20));

        assertThat(window.failureRate()).isNaN();
    }

    @Test
    void mayBeAsLongAsADurationCanBe() {
        TimeWindow window = new TimeWindow(Duration.ofSeconds(Long.MAX_VALUE), new Thresholds(2, 1, 0), time);
        window.record(true, false, time.coarseNanoTime());

        time.advance(Duration.ofDays(365 * 100));

        assertThat(window.record(true, false, time.coarseNanoTime())).isNotNull();
    }
}
