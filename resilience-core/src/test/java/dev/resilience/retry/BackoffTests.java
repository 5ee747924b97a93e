package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The delays of a base of 1 s, a multiplier of 2 and a maximum of 30 s, if nothing else is said. */
class BackoffTests {

    private static final Duration BASE = Duration.ofSeconds(1);
    private static final Duration MAX = Duration.ofSeconds(30);
    private static final double ALMOST_ONE = Math.nextDown(1.0);

    @Nested
    class WithoutJitter {

        @Test
        void exponentialDelaysGrowToTheMaximum() {
            assertThat(delays(Jitter.NONE, 0.5, 0, 1, 2, 3, 4, 5, 6))
                    .containsExactly(RetryBench.seconds(1, 2, 4, 8, 16, 30, 30));
        }

        @Test
        void linearDelaysGrowByTheBaseDelayToTheMaximum() {
            Backoff linear = new Backoff(Backoff.Strategy.LINEAR, BASE, 7, MAX, Jitter.NONE, 0);

            for (int retry : List.of(0, 1, 2, 28, 29)) {
                assertThat(linear.delay(retry, BASE, 0.5)).isEqualTo(BASE.multipliedBy(retry + 1));
            }
            assertThat(linear.delay(30, BASE, 0.5)).isEqualTo(MAX);
            assertThat(linear.delay(Integer.MAX_VALUE, BASE, 0.5)).isEqualTo(MAX);
            assertThat(linear.worstCase(3)).isEqualTo(Duration.ofSeconds(6));
        }

        @Test
        void linearDelaysAreScatteredAsOthers() {
            Backoff linear = new Backoff(Backoff.Strategy.LINEAR, BASE, 7, MAX, Jitter.FULL, 0);

            assertThat(linear.delay(2, BASE, 0.5)).isEqualTo(Duration.ofMillis(1_500));
        }

        @Test
        void fixedDelaysAreTheBaseDelay() {
            Backoff fixed = new Backoff(Backoff.Strategy.FIXED, BASE, 7, MAX, Jitter.NONE, 0);

            assertThat(fixed.delay(0, BASE, 0.5)).isEqualTo(BASE);
            assertThat(fixed.delay(200, BASE, 0.5)).isEqualTo(BASE);
            assertThat(fixed.delay(Integer.MAX_VALUE, BASE, 0.5)).isEqualTo(BASE);
        }

        @Test
        void aFixedBackoffIsTheSameHoweverLong() {
            for (Duration delay : List.of(Duration.ZERO, BASE, Duration.ofDays(1))) {
                assertThat(Backoff.fixed(delay).delay(0, delay, ALMOST_ONE)).isEqualTo(delay);
                assertThat(Backoff.fixed(delay).delay(9, delay, 0)).isEqualTo(delay);
            }
        }

        @Test
        void noDelayIsLongerThanTheMaximum() {
            for (Backoff.Strategy strategy : Backoff.Strategy.values()) {
                Backoff backoff = new Backoff(strategy, MAX, 2, MAX, Jitter.NONE, 0);

                assertThat(backoff.delay(0, BASE, 0)).isEqualTo(MAX);
                assertThat(backoff.delay(7, BASE, 0)).isEqualTo(MAX);
            }
        }

        @Test
        void noRetryNumberOverflowsTheDelay() {
            assertThat(delays(Jitter.NONE, 0, 31, 32, 62, 63, 64, 1_023, 1_024, Integer.MAX_VALUE))
                    .containsOnly(MAX);
        }

        @Test
        void aBaseOfZeroStaysZero() {
            for (Jitter jitter : Jitter.values()) {
                Backoff none = new Backoff(Backoff.Strategy.EXPONENTIAL, Duration.ZERO, 10, MAX, jitter, 1);

                assertThat(none.delay(0, Duration.ZERO, ALMOST_ONE)).isZero();
                assertThat(none.delay(Integer.MAX_VALUE, Duration.ZERO, ALMOST_ONE))
                        .isZero();
            }
        }
    }

    @Nested
    class WithJitter {

        @Test
        void fullReachesFromZeroToTheDelay() {
            assertThat(delays(Jitter.FULL, 0, 0, 3, 9)).containsOnly(Duration.ZERO);
            assertThat(delays(Jitter.FULL, 0.25, 0, 3, 9)).containsExactly(RetryBench.seconds(0.25, 2, 7.5));
            assertThat(delays(Jitter.FULL, ALMOST_ONE, 3))
                    .allSatisfy(delay -> assertThat(delay).isCloseTo(Duration.ofSeconds(8), Duration.ofNanos(2)));
        }

        @Test
        void equalReachesFromHalfTheDelayToTheDelay() {
            assertThat(delays(Jitter.EQUAL, 0, 0, 3, 9)).containsExactly(RetryBench.seconds(0.5, 4, 15));
            assertThat(delays(Jitter.EQUAL, 0.5, 0, 3, 9)).containsExactly(RetryBench.seconds(0.75, 6, 22.5));
        }

        @Test
        void proportionalReachesFromTheDelayToAFactorBeyond() {
            assertThat(delays(Jitter.PROPORTIONAL, 0, 0, 3, 9)).containsExactly(RetryBench.seconds(1, 8, 30));
            assertThat(delays(Jitter.PROPORTIONAL, 0.5, 0, 3, 9)).containsExactly(RetryBench.seconds(1.25, 10, 37.5));
        }

        @Test
        void decorrelatedReachesFromTheBaseToThreeTimesThePreviousDelay() {
            Backoff backoff = backoff(Jitter.DECORRELATED);

            assertThat(backoff.delay(0, BASE, 0)).isEqualTo(BASE);
            assertThat(backoff.delay(0, BASE, 0.5)).isEqualTo(Duration.ofSeconds(2));
            assertThat(backoff.delay(5, Duration.ofSeconds(7), 0.5)).isEqualTo(Duration.ofSeconds(11));
            assertThat(backoff.delay(5, Duration.ofSeconds(25), 0.9)).isEqualTo(MAX);
            assertThat(backoff.delay(5, Duration.ofMillis(100), 0.9))
                    .as("never below the base")
                    .isEqualTo(BASE);
        }

        @Test
        void delaysAreSpreadEvenly() {
            assertThat(deciles(Jitter.FULL, Duration.ZERO, Duration.ofSeconds(8)))
                    .allSatisfy(BackoffTests::isATenth);
            assertThat(deciles(Jitter.EQUAL, Duration.ofSeconds(4), Duration.ofSeconds(8)))
                    .allSatisfy(BackoffTests::isATenth);
            assertThat(deciles(Jitter.PROPORTIONAL, Duration.ofSeconds(8), Duration.ofSeconds(12)))
                    .allSatisfy(BackoffTests::isATenth);
            assertThat(deciles(Jitter.DECORRELATED, BASE, Duration.ofSeconds(15)))
                    .allSatisfy(BackoffTests::isATenth);
        }

        /** How the fourth delay, after one of 5 s, falls into ten equal parts of the range. */
        private List<Double> deciles(Jitter jitter, Duration from, Duration to) {
            SplittableRandom random = new SplittableRandom(42);
            int samples = 100_000;
            double[] parts = new double[10];
            for (int i = 0; i < samples; i++) {
                Duration delay = backoff(jitter).delay(3, Duration.ofSeconds(5), random.nextDouble());
                double position =
                        (double) delay.minus(from).toNanos() / to.minus(from).toNanos();
                parts[(int) (position * 10)] += 1.0 / samples;
            }
            return Arrays.stream(parts).boxed().toList();
        }
    }

    private static List<Duration> delays(Jitter jitter, double random, int... retries) {
        return IntStream.of(retries)
                .mapToObj(retry -> backoff(jitter).delay(retry, BASE, random))
                .toList();
    }

    private static Backoff backoff(Jitter jitter) {
        return new Backoff(Backoff.Strategy.EXPONENTIAL, BASE, 2, MAX, jitter, 0.5);
    }

    private static void isATenth(double share) {
        assertThat(share).isEqualTo(0.1, within(0.005));
    }
}
