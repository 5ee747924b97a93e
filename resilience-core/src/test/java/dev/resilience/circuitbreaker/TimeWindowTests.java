package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CallWindow.Thresholds;
import dev.resilience.circuitbreaker.CallWindow.TimeWindow;
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

    private CallStatistics calls(TimeWindow window) {
        return new CallStatistics(window, 0, 0, time);
    }

    private CallStatistics calls(double failureRate, double slowRate) {
        return calls(new TimeWindow(Duration.ofSeconds(20), new Thresholds(1, failureRate, slowRate), time));
    }

    @Test
    void holdsACallForNineteenTwentiethsOfItsLengthAtLeast() {
        time.advance(Duration.ofDays(7));
        CallStatistics calls = calls(1, 0);
        time.advance(Duration.ofMillis(999));
        calls.failed(false, "Down");

        time.advance(Duration.ofSeconds(19));

        assertThat(calls.window.failureRate()).isEqualTo(1);
    }

    @Test
    void neverHoldsACallForLongerThanItsLength() {
        CallStatistics calls = calls(1, 0);
        calls.failed(false, "Down");

        time.advance(Duration.ofSeconds(20));

        assertThat(calls.window.failureRate()).isNaN();
    }

    @Test
    void isEmptyAfterALongSilence() {
        CallStatistics calls = calls(1, 0);
        for (int i = 0; i < 20; i++) {
            calls.failed(true, "Down");
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(calls.window.failureRate()).isEqualTo(1);

        time.advance(Duration.ofDays(365));

        assertThat(calls.window.failureRate()).isNaN();
        assertThat(calls.succeeded(false)).isNull();
        assertThat(calls.window.failureRate()).isZero();
    }

    @Test
    void losesItsCallsBucketByBucket() {
        CallStatistics calls = calls(0.01, 0);
        for (int second = 0; second < 20; second++) {
            if (second < 10) {
                calls.failed(false, "Down");
            } else {
                calls.succeeded(false);
            }
            time.advance(Duration.ofSeconds(1));
        }

        for (int lost = 1; lost <= 10; lost++) {
            assertThat(calls.window.failureRate()).isEqualTo((10.0 - lost) / (20 - lost));
            time.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void addsUpFailuresAndSlowCallsApart() {
        CallStatistics calls = calls(0.75, 0.5);
        assertThat(calls.failed(false, "Down")).isNotNull();
        assertThat(calls.succeeded(false)).isNull();
        assertThat(calls.succeeded(true)).isNull();

        assertThat(calls.failed(true, "Down")).as("half of the calls were slow").isNotNull();
        assertThat(calls.window.failureRate()).isEqualTo(0.5);
    }

    @Test
    void isReachedBySuccessesAsLongAsItHoldsEnoughTrouble() {
        CallStatistics calls = calls(0.1, 0);
        calls.failed(false, "Down");
        time.advance(Duration.ofSeconds(19));
        assertThat(calls.succeeded(false)).isNotNull();

        time.advance(Duration.ofSeconds(1));
        assertThat(calls.succeeded(false)).isNull();
    }

    @Test
    void neverSeesMoreSlowCallsOrFailuresThanCalls() throws Exception {
        double impossible = 1 + 1e-9;
        CallStatistics calls = calls(impossible, impossible);
        Callable<Integer> slowFailures = () -> {
            int reached = 0;
            for (int call = 0; call < 300_000; call++) {
                reached += calls.failed(true, "Down") != null ? 1 : 0;
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
        CallStatistics calls = calls(new TimeWindow(Duration.ofNanos(1), new Thresholds(1, 1, 0), time));

        assertThat(calls.failed(false, "Down")).isNotNull();
        time.advance(Duration.ofNanos(20));

        assertThat(calls.window.failureRate()).isNaN();
    }

    @Test
    void mayBeAsLongAsADurationCanBe() {
        CallStatistics calls = calls(new TimeWindow(Duration.ofSeconds(Long.MAX_VALUE), new Thresholds(2, 1, 0), time));
        calls.failed(false, "Down");

        time.advance(Duration.ofDays(365 * 100));

        assertThat(calls.failed(false, "Down")).isNotNull();
    }
}
