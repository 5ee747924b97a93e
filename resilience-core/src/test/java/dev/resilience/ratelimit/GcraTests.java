package dev.resilience.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.concurrency.ForwardingTime;
import dev.resilience.time.ManualTimeSource;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The algorithm against a model in whole numbers without bounds, on seeded random input. */
class GcraTests {

    private static final int RUNS = "long".equals(System.getProperty("stress")) ? 20_000 : 1_000;

    private final ManualTimeSource time = new ManualTimeSource();

    private static RateLimitPolicy policy(int permits, Duration period, int burst) {
        return RateLimitPolicy.builder()
                .permits(permits)
                .period(period)
                .burst(burst)
                .build();
    }

    /** Nanoseconds times permits are its unit, so that an interval is the period. */
    private static final class Model {

        final BigInteger permits;
        final BigInteger interval;
        final BigInteger burst;
        BigInteger allBack = BigInteger.ZERO;

        Model(RateLimitPolicy policy) {
            permits = BigInteger.valueOf(policy.permits());
            interval = BigInteger.valueOf(policy.period().toNanos());
            burst = interval.multiply(BigInteger.valueOf(policy.capacity()));
        }

        BigInteger at(long nanos) {
            return permits.multiply(BigInteger.valueOf(nanos));
        }

        /** How long a permit is away, in units; at most 0 if there is one. */
        BigInteger missing(long nanos) {
            return allBack.max(at(nanos)).add(interval).subtract(burst).subtract(at(nanos));
        }

        void take(long nanos) {
            allBack = allBack.max(at(nanos)).add(interval);
        }
    }

    private static RateLimitPolicy random(Random random) {
        long period = 1L + (long) Math.pow(10, random.nextDouble() * 15);
        int permits = (int) Math.min(period, 1 + (long) Math.pow(10, random.nextDouble() * 9));
        int most = (int) Math.min(1_000, 3.6e17 / period * permits);
        return policy(permits, Duration.ofNanos(period), 1 + random.nextInt(most));
    }

    @Test
    void noWindowHasMoreCallsThanPromisedAndNoneIsRefusedThatTheModelLetsIn() {
        for (int seed = 0; seed < RUNS; seed++) {
            Random random = new Random(seed);
            RateLimitPolicy policy = random(random);
            ManualTimeSource clock = new ManualTimeSource();
            Gcra permits = new Gcra(policy, clock);
            Model model = new Model(policy);
            double interval = (double) policy.period().toNanos() / policy.permits();
            for (int i = 0; i < 300; i++) {
                double step =
                        random.nextInt(4) == 0 ? interval * random.nextInt(3) : interval * random.nextDouble() * 4;
                clock.advance(Duration.ofNanos(random.nextBoolean() ? 0 : (long) step));
                long now = clock.nanoTime();
                boolean isAccepted = permits.acquire(0, false) == 0;
                BigInteger missing = model.missing(now);
                if (missing.signum() <= 0) {
                    assertThat(isAccepted)
                            .as("seed %s, call %s, %s", seed, i, policy)
                            .isTrue();
                } else if (isAccepted) { // early by less than two nanoseconds
                    assertThat(missing)
                            .as("seed %s, call %s, %s", seed, i, policy)
                            .isLessThan(model.permits.shiftLeft(1));
                }
                if (isAccepted) {
                    model.take(now);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, P1D, 1",
        "1, P365D, 5",
        "1000000000, PT1S, 1000",
        "999999999, PT1S, 7",
        "700000001, PT1S, 1",
        "3, PT1S, 2",
        "7, PT0.000001S, 1",
        "2147483647, PT3S, 2147483647"
    })
    void underDemandThereAreExactlyTheCallsPromised(int permits, Duration period, int burst) {
        Gcra gcra = new Gcra(policy(permits, period, burst), time);
        int taken = 0;
        long last = 0;
        for (int i = 0; i < Math.min(burst, 10_000); i++) {
            assertThat(gcra.acquire(0, false)).isZero();
        }
        if (burst > 10_000) {
            return;
        }
        while (taken < 10_000 && time.elapsed().toDays() < 365 * 20) {
            long wait = gcra.acquire(0, false);
            if (wait == 0) {
                taken++;
                last = time.nanoTime();
            } else {
                time.advance(Duration.ofNanos(-wait));
            }
        }
        BigInteger due = BigInteger.valueOf(period.toNanos())
                .multiply(BigInteger.valueOf(taken))
                .divide(BigInteger.valueOf(permits));
        assertThat(BigInteger.valueOf(last).subtract(due).longValueExact())
                .as("nanoseconds late, after %s calls", taken)
                .isBetween(-2L, 1L);
    }

    @Test
    void aClockThatJumpsGivesNoMoreThanABurst() {
        Gcra gcra = new Gcra(policy(1_000_000_000, Duration.ofSeconds(1), 5), time);
        for (Duration jump : List.of(Duration.ofDays(365), Duration.ofDays(36_500), Duration.ofNanos(1))) {
            time.advance(jump);
            int expected = jump.toNanos() == 1 ? 1 : 5;
            for (int i = 0; i < expected; i++) {
                assertThat(gcra.acquire(0, false)).isZero();
            }
            assertThat(gcra.acquire(0, false)).isNegative();
        }
    }

    @Test
    void aCallWaitsExactlyAsLongAsItMustOrIsRefusedWithThatTime() {
        Gcra gcra = new Gcra(policy(10, Duration.ofSeconds(1), 1), time);
        long interval = Duration.ofMillis(100).toNanos();
        assertThat(gcra.acquire(0, false)).isZero();
        assertThat(gcra.acquire(interval - 1, false)).isEqualTo(-interval);
        assertThat(gcra.acquire(interval, false)).isEqualTo(interval);
        assertThat(gcra.acquire(Long.MAX_VALUE, false)).isEqualTo(2 * interval);
        assertThat(gcra.acquire(0, false)).isEqualTo(-3 * interval);
        assertThat(gcra.available()).isZero();
        time.advance(Duration.ofMillis(300));
        assertThat(gcra.available()).isEqualTo(1);
    }

    @Test
    void anotherRateTakesWhatWasTakenAlong() {
        Gcra gcra = new Gcra(policy(100, Duration.ofSeconds(1), 100), time);
        for (int i = 0; i < 90; i++) {
            gcra.acquire(0, false);
        }
        gcra = gcra.reconfigure(policy(100, Duration.ofSeconds(1), 200));
        assertThat(gcra.available()).isEqualTo(110);
        gcra = gcra.reconfigure(policy(1, Duration.ofDays(1), 1));
        assertThat(gcra.available()).isZero();
        assertThat(gcra.acquire(0, false)).isEqualTo(-Duration.ofDays(1).toNanos());
        gcra = gcra.reconfigure(policy(100, Duration.ofSeconds(1), 100));
        assertThat(gcra.available()).isEqualTo(99);
    }

    /** A coarse clock that beats every ten milliseconds, as the system's does. */
    private static final class Beating extends ForwardingTime {

        @Override
        public long coarseNanoTime() {
            return nanoTime() / 10_000_000 * 10_000_000;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100, 1_000, 100_000})
    void callsThatDoNotReadTheClockBreakNoPromise(int perSecond) {
        for (int seed = 0; seed < RUNS / 10; seed++) {
            Random random = new Random(seed);
            Beating clock = new Beating();
            int burst = 32 + random.nextInt(1_000);
            RateLimitPolicy policy = policy(perSecond, Duration.ofSeconds(1), burst);
            Gcra permits = new Gcra(policy, clock);
            long interval = policy.period().toNanos() / perSecond;
            List<Long> accepted = new ArrayList<>();
            double load = 0.1 + random.nextDouble() * 3;
            for (int i = 0; i < 3_000; i++) {
                boolean isBurst = random.nextInt(50) == 0;
                clock.manual.advance(Duration.ofNanos(
                        (long) (isBurst ? 100 * interval : random.nextDouble() * 2 * interval / load)));
                for (int calls = isBurst ? burst : 1; calls > 0; calls--) {
                    if (permits.acquire(0, false) == 0) {
                        accepted.add(clock.nanoTime());
                    }
                }
            }
            long allBack = 0;
            for (int i = 0; i < accepted.size(); i++) { // of the exact algorithm, which may let in all of them
                long at = accepted.get(i);
                allBack = Math.max(allBack, at) + interval;
                assertThat(allBack - at - burst * interval)
                        .as("seed %s, call %s of %s", seed, i, policy)
                        .isLessThanOrEqualTo(2);
            }
        }
    }

    @Test
    void afterCallsInQuickSuccessionAThirtySecondOfTheBurstMayBeMissingAndLaterNothing() {
        Beating clock = new Beating();
        Gcra permits = new Gcra(policy(1_000, Duration.ofSeconds(1), 320), clock);
        for (int i = 0; i < 50; i++) {
            clock.manual.advance(Duration.ofMillis(1));
            assertThat(permits.acquire(0, false)).isZero();
        }
        assertThat(permits.available()).isBetween(320.0 - 2 * 10 - 1, 320.0);
        clock.manual.advance(Duration.ofMillis(50));
        for (int i = 0; i < 320; i++) {
            assertThat(permits.acquire(0, false)).isZero();
        }
        assertThat(permits.acquire(0, false)).isNegative();
    }
}
