package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for every backoff and every retry, tried on many chosen at random with a fixed seed. */
class BackoffPropertyTests {

    private static final Duration LONGEST = Duration.ofDays(300 * 366L);
    private static final double ALMOST_ONE = Math.nextDown(1.0);

    private final SplittableRandom random = new SplittableRandom(20_260_101);

    @ParameterizedTest
    @EnumSource
    void everyDelayIsWithinTheBoundsOfItsJitter(Jitter jitter) {
        for (int round = 0; round < 300; round++) {
            Backoff backoff = anyBackoff(jitter);
            double[] plain = plainDelays(backoff, 201);
            for (int retry : retries()) {
                double d = retry < plain.length ? plain[retry] : limit(backoff, plain, retry);
                for (double chance : new double[] {0, random.nextDouble(), ALMOST_ONE}) {
                    Duration previous = anyDuration();
                    Duration delay = backoff.delay(retry, previous, chance);
                    assertThat(delay.isNegative()).isFalse();
                    assertThat(nanos(delay))
                            .as("retry %s of %s after %s at %s", retry, backoff, previous, chance)
                            .isBetween(less(lower(backoff, d)), more(upper(backoff, d, previous)));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theWorstCaseIsTheSumOfTheLongestDelays(Jitter jitter) {
        for (int round = 0; round < 300; round++) {
            Backoff backoff = anyBackoff(jitter);
            if (Durations.min(backoff.baseDelay(), backoff.maxDelay()).compareTo(Duration.ofMillis(1)) < 0) {
                continue; // what the delays lose by rounding to nanoseconds would count
            }
            int retries = random.nextInt(0, 100);
            double sum = 0;
            Duration previous = backoff.baseDelay();
            for (int retry = 0; retry < retries; retry++) {
                previous = backoff.delay(retry, previous, ALMOST_ONE);
                sum += nanos(previous);
            }
            assertThat(nanos(backoff.worstCase(retries)))
                    .as("%s retries of %s", retries, backoff)
                    .isCloseTo(Math.min(sum, Long.MAX_VALUE), withinPercentage(0.01));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theWorstCaseIsNeverExceededByChance(Jitter jitter) {
        for (int round = 0; round < 300; round++) {
            Backoff backoff = anyBackoff(jitter);
            int retries = random.nextInt(0, 50);
            double sum = 0;
            Duration previous = backoff.baseDelay();
            for (int retry = 0; retry < retries; retry++) {
                previous = backoff.delay(retry, previous, random.nextDouble());
                sum += nanos(previous);
            }
            assertThat(Math.min(sum, Long.MAX_VALUE)).isLessThanOrEqualTo(more(nanos(backoff.worstCase(retries))));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theWorstCaseOfAnyNumberOfRetriesIsNotNegativeAndGrows(Jitter jitter) {
        for (int round = 0; round < 30; round++) {
            Backoff backoff = anyBackoff(jitter);
            Duration shorter = backoff.worstCase(0);
            assertThat(shorter).isZero();
            for (int retries : new int[] {1, 2, 10, 1_000, 10_000, 10_001, 1_000_000, Integer.MAX_VALUE}) {
                Duration longer = backoff.worstCase(retries);
                assertThat(longer).as("%s retries of %s", retries, backoff).isGreaterThanOrEqualTo(shorter);
                shorter = longer;
            }
        }
    }

    @Test
    void theWorstCaseOfTheDefaultIsThreeSeconds() {
        assertThat(RetryPolicy.defaults().worstCaseWait()).isEqualTo(Duration.ofSeconds(3));
        assertThat(Backoff.DEFAULT.worstCase(7)).isEqualTo(Duration.ofSeconds(1 + 2 + 4 + 8 + 16 + 30 + 30));
    }

    @Test
    void theWorstCaseOfVeryManyRetriesCountsThemAll() {
        assertThat(RetryBench.fixed(Duration.ofSeconds(1)).worstCase(1_000_000))
                .isEqualTo(Duration.ofSeconds(1_000_000));
        assertThat(Backoff.DEFAULT.worstCase(1_000_000)).isEqualTo(Duration.ofSeconds(31 + 30 * (1_000_000 - 5)));
    }

    private int[] retries() {
        int late = random.nextInt(201, 10_000);
        int absurd = random.nextInt(10_000, Integer.MAX_VALUE);
        return IntStream.concat(IntStream.rangeClosed(0, 200), IntStream.of(late, absurd, Integer.MAX_VALUE))
                .toArray();
    }

    private Backoff anyBackoff(Jitter jitter) {
        Backoff.Strategy strategy = random.nextInt(4) == 0 ? Backoff.Strategy.FIXED : Backoff.Strategy.EXPONENTIAL;
        double multiplier = random.nextInt(8) == 0 ? 1 : Math.pow(10, random.nextDouble() * 6);
        Duration one = anyDuration();
        Duration other = anyDuration();
        Duration base = Durations.min(one, other);
        Duration max = base.equals(one) ? other : one;
        return new Backoff(strategy, base, multiplier, max.plusNanos(1), jitter, random.nextDouble());
    }

    /** From zero to three hundred years, each order of magnitude as likely as another. */
    private Duration anyDuration() {
        return switch (random.nextInt(10)) {
            case 0 -> Duration.ZERO;
            case 1 -> LONGEST;
            default -> Duration.ofNanos((long) Math.pow(Long.MAX_VALUE, random.nextDouble()));
        };
    }

    /** The delays before jitter, by multiplying again and again. */
    private static double[] plainDelays(Backoff backoff, int count) {
        double max = nanos(backoff.maxDelay());
        double[] delays = new double[count];
        double delay = Math.min(max, nanos(backoff.baseDelay()));
        for (int i = 0; i < count; i++) {
            delays[i] = delay;
            delay = backoff.strategy() == Backoff.Strategy.FIXED ? delay : Math.min(max, delay * backoff.multiplier());
        }
        return delays;
    }

    /** The delay before jitter of a retry too late to multiply up to: it has reached the maximum, or never grows. */
    private static double limit(Backoff backoff, double[] plain, int retry) {
        boolean grows = backoff.strategy() == Backoff.Strategy.EXPONENTIAL && backoff.multiplier() > 1;
        return grows && plain[0] > 0
                ? Math.min(
                        nanos(backoff.maxDelay()), nanos(backoff.baseDelay()) * Math.pow(backoff.multiplier(), retry))
                : plain[0];
    }

    private static double lower(Backoff backoff, double d) {
        return switch (backoff.jitter()) {
            case NONE, PROPORTIONAL -> d;
            case FULL -> 0;
            case EQUAL -> d / 2;
            case DECORRELATED -> Math.min(nanos(backoff.baseDelay()), nanos(backoff.maxDelay()));
        };
    }

    private static double upper(Backoff backoff, double d, Duration previous) {
        return switch (backoff.jitter()) {
            case NONE, FULL, EQUAL -> d;
            case PROPORTIONAL -> d * (1 + backoff.jitterFactor());
            case DECORRELATED ->
                Math.min(nanos(backoff.maxDelay()), Math.max(nanos(backoff.baseDelay()), 3.0 * nanos(previous)));
        };
    }

    private static double nanos(Duration duration) {
        return Durations.toNanos(duration);
    }

    /** Bounds leave room for the rounding of doubles and for the fraction of a nanosecond that is cut off. */
    private static double less(double bound) {
        return Math.min(bound, Long.MAX_VALUE) * (1 - 1e-9) - 100;
    }

    private static double more(double bound) {
        return bound * (1 + 1e-9) + 100;
    }
}
