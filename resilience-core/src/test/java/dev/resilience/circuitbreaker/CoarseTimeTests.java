package dev.resilience.circuitbreaker;

import static dev.resilience.circuitbreaker.TestBreaker.down;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CallWindow.Thresholds;
import dev.resilience.circuitbreaker.CallWindow.TimeWindow;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.event.CircuitState;
import dev.resilience.pipeline.Environment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What it costs that a window of time reads a clock that is some milliseconds behind. */
class CoarseTimeTests {

    private static final Duration LAG = Duration.ofMillis(20);
    private static final Duration NANO = Duration.ofNanos(1);

    private final TimeWithRaces time = new TimeWithRaces();

    private CallStatistics calls(TimeWindow window) {
        return new CallStatistics(window, 0, 0, time);
    }

    /** Its buckets are 50 ms long. */
    private CallStatistics secondOfFailures() {
        return calls(new TimeWindow(Duration.ofSeconds(1), new Thresholds(1, 0.5, 0), time));
    }

    @Test
    void aCallIsHeldAgainstTheThresholdsForLongerThanTheWindowByTheLagAtMost() {
        CallStatistics calls = secondOfFailures();
        calls.failed(false, "Down");
        time.coarseTimeLags(LAG);
        time.manual.advance(Duration.ofSeconds(1).plus(LAG).minus(NANO));
        assertThat(calls.succeeded(false))
                .as("a second and almost the lag later")
                .isNotNull();

        time.manual.advance(NANO);
        assertThat(calls.succeeded(false)).as("a second and the lag later").isNull();
    }

    @Test
    void aCallIsForgottenEarlierThanAfterNineteenTwentiethsByTheLagAtMost() {
        CallStatistics calls = secondOfFailures();
        time.manual.advance(Duration.ofMillis(50).plus(LAG).minus(NANO));
        time.coarseTimeLags(LAG);
        calls.failed(false, "Down"); // at the end of the first bucket, it seems, and in truth in the second
        time.coarseTimeLags(Duration.ZERO);
        time.manual.advance(Duration.ofMillis(950).minus(LAG));

        assertThat(calls.succeeded(false)).isNotNull();

        time.manual.advance(NANO);
        assertThat(calls.succeeded(false)).isNull();
    }

    /** A window of a millisecond holds what one tick holds, and counts it as any other does. */
    @Test
    void aWindowShorterThanATickCountsTheCallsOfATick() {
        CallStatistics calls = calls(new TimeWindow(Duration.ofMillis(1), new Thresholds(3, 1, 0), time));
        time.manual.advance(LAG);
        calls.failed(false, "Down");
        time.coarseTimeLags(Duration.ofMillis(9));
        time.manual.advance(Duration.ofMillis(9));
        calls.failed(false, "Down");

        assertThat(calls.failed(false, "Down")).isNotNull();

        time.coarseTimeLags(Duration.ZERO);
        assertThat(calls.failed(false, "Down")).as("at the next tick").isNull();
    }

    @Test
    void theRateThatIsShownWhileOpenIsTheOneThatOpened() {
        CircuitBreakerPolicy policy = CircuitBreakerPolicy.builder()
                .failureThreshold(0)
                .window(new Window(Window.Type.TIME, Duration.ofSeconds(1), 1))
                .minimumCalls(10)
                .build();
        time.coarseTimeLags(LAG);
        CircuitBreaker breaker = new CircuitBreaker("payments", policy, Environment.of(time));
        for (int call = 0; call < 5; call++) {
            breaker.admit().failed(0, down());
        }
        time.manual.advance(Duration.ofSeconds(1)); // the first bucket is too old, but the coarse time not yet there

        for (int call = 0; call < 5; call++) {
            breaker.admit().failed(0, down());
        }

        assertThat(breaker.currentState()).isEqualTo(CircuitState.OPEN);
        assertThat(breaker.failureRate()).isEqualTo(1);
    }
}
