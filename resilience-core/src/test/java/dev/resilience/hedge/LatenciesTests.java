package dev.resilience.hedge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LatenciesTests {

    private final Latencies latencies = new Latencies();

    private long exceededBy(double share) {
        return latencies.exceededBy(share);
    }

    /** Never too short by what is measured, and too long by a bucket at the most. */
    @Test
    void isTheLatencyThatAtMostTheShareExceeds() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            Latencies fresh = new Latencies();
            int calls = 100 + random.nextInt(5_000);
            double share = Math.max(1.0 / calls, random.nextDouble());
            long[] nanos = new long[calls];
            for (int i = 0; i < calls; i++) {
                nanos[i] = (long) Math.pow(10, 5 + 7 * random.nextDouble()); // 0.1 ms to 17 minutes
                fresh.record(nanos[i]);
            }
            long limit = fresh.exceededBy(share);
            Arrays.sort(nanos);
            long exact = nanos[calls - 1 - Math.min(calls - 1, (int) (share * calls))];

            assertThat(Arrays.stream(nanos).filter(each -> each > limit).count())
                    .isLessThanOrEqualTo((long) (share * calls));
            assertThat((double) limit).isBetween(exact * 0.999, exact * 1.0321);
        }
    }

    @Test
    void theShortestAndTheLongestHaveABucket() {
        for (int i = 0; i < 100; i++) {
            latencies.record(0);
        }
        assertThat(exceededBy(0.01)).isLessThan(100_000);
        for (int i = 0; i < 100; i++) {
            latencies.record(Long.MAX_VALUE);
        }
        assertThat(exceededBy(0.01)).isGreaterThan(3_600_000_000_000L).isLessThan(Latencies.NEVER);
    }

    @Test
    void tooFewCallsTellNothing() {
        for (int i = 0; i < 999; i++) {
            latencies.record(1_000_000);
        }
        assertThat(exceededBy(0.001)).isEqualTo(Latencies.NEVER);
        latencies.record(1_000_000);
        assertThat(exceededBy(0.001)).isNotEqualTo(Latencies.NEVER);
    }

    @Test
    void whatWasLongAgoFadesUnlessTooFewCallsHaveComeSince() {
        for (int i = 0; i < 10_000; i++) {
            latencies.record(1_000_000_000);
        }
        for (int refresh = 0; refresh < 1_000; refresh++) {
            assertThat(exceededBy(0.01)).as("no other is known").isBetween(1_000_000_000L, 1_033_000_000L);
        }
        for (int refresh = 0; refresh < 60; refresh++) {
            for (int i = 0; i < 1_000; i++) {
                latencies.record(10_000_000);
            }
            exceededBy(0.01);
        }
        assertThat(exceededBy(0.01)).isBetween(10_000_000L, 10_330_000L);
    }
}
