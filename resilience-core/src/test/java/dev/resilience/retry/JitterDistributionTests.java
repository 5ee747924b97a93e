package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.fault.FaultClassification;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The delays that a retry draws have the distribution that their jitter promises, everywhere and not only in their mean:
 * the test of Kolmogorov and Smirnov, for a hundred thousand delays of a fixed seed.
 */
class JitterDistributionTests {

    private static final int DRAWS = 100_000;

    /** Exceeded by one of a thousand samples of the very distribution: sqrt(-ln(0.001 / 2) / 2) / sqrt(n). */
    private static final double CRITICAL_DISTANCE = 1.949 / Math.sqrt(DRAWS);

    private static final Duration BASE = Duration.ofSeconds(1);
    private static final Duration MAX = Duration.ofSeconds(30);
    private static final double FACTOR = 0.3;

    private final SplittableRandom random = new SplittableRandom(20_260_101);

    /** The first delay, one that has grown, and one that has reached the maximum. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3, 9})
    void fullIsUniformFromZeroToTheDelay(int retry) {
        double d = plain(retry);

        assertThat(distance(delays(Jitter.FULL, retry), uniform(0, d))).isLessThan(CRITICAL_DISTANCE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 9})
    void equalIsUniformFromHalfTheDelayToTheDelay(int retry) {
        double d = plain(retry);

        assertThat(distance(delays(Jitter.EQUAL, retry), uniform(d / 2, d))).isLessThan(CRITICAL_DISTANCE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 9})
    void proportionalIsUniformFromTheDelayToAFactorBeyond(int retry) {
        double d = plain(retry);

        assertThat(distance(delays(Jitter.PROPORTIONAL, retry), uniform(d, d * (1 + FACTOR))))
                .isLessThan(CRITICAL_DISTANCE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 9})
    void withoutJitterEveryDelayIsTheSame(int retry) {
        assertThat(delays(Jitter.NONE, retry)).containsOnly(plain(retry));
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 2.5, 9.9})
    void decorrelatedIsUniformFromTheBaseToThreeTimesThePreviousDelay(double previous) {
        double[] delays = draw(retry(Jitter.DECORRELATED), 5, previous);

        assertThat(distance(delays, uniform(1, 3 * previous))).isLessThan(CRITICAL_DISTANCE);
    }

    /** What lies beyond the maximum is moved to it: of U(1, 75), the part from 30 on. */
    @Test
    void decorrelatedIsCutOffAtTheMaximum() {
        double[] delays = draw(retry(Jitter.DECORRELATED), 5, 25);

        double[] below = Arrays.stream(delays).filter(delay -> delay < 30).toArray();
        assertThat(Arrays.stream(delays).max()).hasValue(30);
        assertThat(distance(delays, seconds -> seconds < 30 ? (seconds - 1) / 74 : 1))
                .isLessThan(CRITICAL_DISTANCE);
        assertThat(distance(below, uniform(1, 30))).isLessThan(1.949 / Math.sqrt(below.length));
    }

    /** Each delay of a chain lies where U(base, 3 · previous) has it, whatever the previous one was. */
    @Test
    void decorrelatedDelaysOfOneCallDependOnThePreviousOneAndOnNothingElse() {
        Retry retry = retry(Jitter.DECORRELATED);
        double[] ranks = new double[DRAWS];
        for (int draw = 0; draw < DRAWS; draw++) {
            double first = seconds(retry.rules.backoff(1, BASE, null, null));
            double second = seconds(retry.rules.backoff(2, Duration.ofNanos((long) (first * 1e9)), null, null));
            ranks[draw] = (second - 1) / (3 * first - 1); // the first is at most 3 s, so nothing is cut off
        }

        assertThat(distance(ranks, uniform(0, 1))).isLessThan(CRITICAL_DISTANCE);
    }

    @Test
    void theTestTellsADistributionFromOneThatIsAHundredthOff() {
        double[] delays = delays(Jitter.FULL, 0);

        assertThat(distance(delays, uniform(0, 1.01))).isGreaterThan(CRITICAL_DISTANCE);
        assertThat(distance(delays, uniform(0.01, 1))).isGreaterThan(CRITICAL_DISTANCE);
        assertThat(distance(delays, share -> share * share)).isGreaterThan(CRITICAL_DISTANCE);
    }

    private static double plain(int retry) {
        return Math.min(30, Math.pow(2, retry));
    }

    private double[] delays(Jitter jitter, int retry) {
        return draw(retry(jitter), retry, 1);
    }

    private static double[] draw(Retry retry, int retriesMade, double previousSeconds) {
        Duration previous = Duration.ofNanos((long) (previousSeconds * 1e9));
        double[] delays = new double[DRAWS];
        for (int draw = 0; draw < DRAWS; draw++) {
            delays[draw] = seconds(retry.rules.backoff(retriesMade + 1, previous, null, null));
        }
        return delays;
    }

    private Retry retry(Jitter jitter) {
        Backoff backoff = new Backoff(Backoff.Strategy.EXPONENTIAL, BASE, 2, MAX, jitter, FACTOR);
        RetryPolicy policy = RetryPolicy.builder().backoff(backoff).build();
        return SeededRetry.of(
                "any", policy, FaultClassification.ofJdk(), new ManualTimeSource(), null, random::nextDouble);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    private static DoubleUnaryOperator uniform(double from, double to) {
        return value -> Math.min(1, Math.max(0, (value - from) / (to - from)));
    }

    /** The largest distance between the share of the sample up to a value and the probability of it. */
    private static double distance(double[] sample, DoubleUnaryOperator probability) {
        double[] sorted = sample.clone();
        Arrays.sort(sorted);
        double largest = 0;
        int n = sorted.length;
        for (int first = 0, next = 0; first < n; first = next) {
            while (next < n && sorted[next] == sorted[first]) {
                next++; // values that occur more than once, such as the maximum, are one step
            }
            double expected = probability.applyAsDouble(sorted[first]);
            largest = Math.max(largest, Math.abs((double) next / n - expected));
            double expectedBefore = probability.applyAsDouble(Math.nextDown(sorted[first]));
            largest = Math.max(largest, Math.abs((double) first / n - expectedBefore));
        }
        return largest;
    }
}
