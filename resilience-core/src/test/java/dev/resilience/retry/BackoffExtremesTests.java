package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The shortest and the longest delays that can be configured, combined with each other, with the multipliers at the
 * edges of what doubles tell apart, and with every number of retries that could overflow something.
 */
class BackoffExtremesTests {

    private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

    private static final List<Duration> DURATIONS = List.of(
            Duration.ZERO,
            Duration.ofNanos(1),
            Duration.ofMillis(1),
            Duration.ofSeconds(30),
            Duration.ofNanos(1L << 53).plusNanos(1), // the first that a double cannot tell from its neighbour
            Duration.ofNanos(Long.MAX_VALUE), // the longest in nanoseconds: 292 years
            Duration.ofNanos(Long.MAX_VALUE).plusNanos(1),
            LONGEST);

    private static final double[] MULTIPLIERS = {1, Math.nextUp(1.0), 1.0000001, 2, 1e154, 1e300, Double.MAX_VALUE};

    private static final double[] CHANCES = {0, 0.5, Math.nextDown(1.0)};

    /** All up to 5,000, each power of two with its neighbours, and the last of all. */
    private static final int[] RETRIES = IntStream.concat(
                    IntStream.rangeClosed(0, 5_000),
                    IntStream.range(13, 31).map(power -> 1 << power).flatMap(n -> IntStream.of(n - 1, n, n + 1)))
            .sorted()
            .toArray();

    private final SplittableRandom random = new SplittableRandom(20_260_101);

    @ParameterizedTest
    @EnumSource
    void everyDelayOfEveryRetryIsWithinTheBoundsOfItsJitter(Jitter jitter) {
        for (Backoff backoff : extremes(jitter)) {
            Duration previous = DURATIONS.get(random.nextInt(DURATIONS.size()));
            for (int retry : RETRIES) {
                check(backoff, retry, previous, random.nextDouble());
            }
            for (double chance : CHANCES) {
                check(backoff, 0, previous, chance);
                check(backoff, 1, previous, chance);
                check(backoff, Integer.MAX_VALUE - 1, previous, chance);
                check(backoff, Integer.MAX_VALUE, previous, chance);
            }
        }
    }

    @Test
    void withoutJitterNoDelayIsShorterThanTheOneBefore() {
        for (Backoff backoff : extremes(Jitter.NONE)) {
            Duration before = Duration.ZERO;
            for (int retry : RETRIES) {
                Duration delay = backoff.delay(retry, Duration.ZERO, 0);
                if (delay.compareTo(before) < 0) {
                    fail("%s before and %s at retry %s of %s", before, delay, retry, backoff);
                }
                before = delay;
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theWorstCaseIsNeitherNegativeNorShorterThanTheFirstDelay(Jitter jitter) {
        for (Backoff backoff : extremes(jitter)) {
            Duration first = backoff.delay(0, backoff.baseDelay(), Math.nextDown(1.0));
            for (int retries : new int[] {1, 2, 9_999, Integer.MAX_VALUE}) {
                assertThat(backoff.worstCase(retries))
                        .as("%s retries of %s", retries, backoff)
                        .isBetween(first, Duration.ofNanos(Long.MAX_VALUE));
            }
        }
    }

    /** By comparison of doubles: seventeen million assertions take too long, and doubles are what is computed in. */
    private static void check(Backoff backoff, int retry, Duration previous, double chance) {
        double delay = nanos(backoff.delay(retry, previous, chance));
        double base = nanos(backoff.baseDelay());
        double max = nanos(backoff.maxDelay());
        double shortest = Math.min(base, max);
        boolean within = switch (backoff.jitter()) {
            case NONE -> delay >= shortest && delay <= max;
            case FULL -> delay >= 0 && delay <= max;
            case EQUAL -> delay >= Math.floor(shortest / 2) && delay <= max;
            case PROPORTIONAL -> delay >= shortest && delay <= max * (1 + backoff.jitterFactor());
            case DECORRELATED -> delay >= shortest && delay <= Math.min(max, Math.max(base, 3 * nanos(previous)));
        };
        if (!within) {
            fail("%s ns at retry %s of %s after %s with %s", delay, retry, backoff, previous, chance);
        }
    }

    private static List<Backoff> extremes(Jitter jitter) {
        List<Backoff> backoffs = new ArrayList<>();
        for (Duration base : DURATIONS) {
            int shortest = Math.max(1, DURATIONS.indexOf(base)); // zero is refused, and less than the base delay
            for (Duration max : DURATIONS.subList(shortest, DURATIONS.size())) {
                for (double multiplier : MULTIPLIERS) {
                    backoffs.add(new Backoff(Backoff.Strategy.EXPONENTIAL, base, multiplier, max, jitter, 1));
                }
                backoffs.add(new Backoff(Backoff.Strategy.FIXED, base, Double.MAX_VALUE, max, jitter, 1));
            }
        }
        return backoffs;
    }

    private static double nanos(Duration duration) {
        return Durations.toNanos(duration);
    }
}
