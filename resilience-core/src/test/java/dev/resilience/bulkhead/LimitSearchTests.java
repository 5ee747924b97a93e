package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.LimitSearch.Measured;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LimitSearchTests {

    private static final double MILLIS = Math.log(1e6);

    @Test
    void beginsAtTwentyOrWhatIsNearest() {
        assertThat(LimitSearch.between(1, 200).inForce()).isEqualTo(20);
        assertThat(LimitSearch.between(1, 10).inForce()).isEqualTo(10);
        assertThat(LimitSearch.between(30, 200).inForce()).isEqualTo(30);
    }

    @Test
    void staysWithinItsBoundsWhateverIsMeasured() {
        for (long seed = 1; seed <= 50; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int min = 1 + random.nextInt(5);
            int max = min + random.nextInt(1, 1_000);
            LimitSearch search = LimitSearch.between(min, max);
            for (int window = 0; window < 2_000; window++) {
                search = search.next(anything(random));
                assertThat(search.inForce()).as("seed " + seed).isBetween(min, max);
                assertThat(search.limit()).as("seed " + seed).isBetween((double) min, (double) max);
                assertThat(search.needed()).isPositive();
                if (random.nextInt(100) == 0) {
                    min = 1 + random.nextInt(5);
                    max = min + random.nextInt(1, 1_000);
                    search = search.within(min, max);
                }
            }
        }
    }

    private static Measured anything(SplittableRandom random) {
        long returned = random.nextInt(3) == 0 ? 0 : random.nextLong(5_000);
        long failed = returned == 0 || random.nextInt(3) == 0 ? random.nextLong(1, 5_000) : 0;
        boolean isReached = random.nextBoolean();
        return new Measured(
                returned,
                returned == 0 ? Double.NaN : random.nextDouble(45),
                failed,
                isReached,
                isReached && random.nextBoolean(),
                random.nextInt(10) == 0);
    }

    @Test
    void isLeftAloneWhileCallsDoNotReachIt() {
        LimitSearch search = LimitSearch.between(1, 200);
        for (int window = 0; window < 1_000; window++) {
            search = search.next(new Measured(search.needed(), MILLIS + window % 3, 0, false, false, false));
        }

        assertThat(search.inForce()).isEqualTo(20);
    }

    @Test
    void growsToItsMaximumWhereLatencyNeverRises() {
        LimitSearch search = LimitSearch.between(1, 200);
        for (int window = 0; window < 20; window++) {
            search = search.next(saturated(search, MILLIS));
        }

        assertThat(search.limit()).isEqualTo(200);
    }

    /** A callee with 30 servers that need a millisecond each, without any chance. */
    @Test
    void findsTheServersOfACallee() {
        LimitSearch search = LimitSearch.between(1, 1_000);
        for (int window = 0; window < 500; window++) {
            search = search.next(saturated(search, MILLIS + Math.log(Math.max(1, search.inForce() / 30.0))));
        }

        assertThat(search.limit()).isBetween(30.0, 38.0);
    }

    @Test
    void fallsToItsMinimumWhileCallsTimeOut() {
        LimitSearch search = LimitSearch.between(2, 200);
        search = search.next(saturated(search, MILLIS));
        for (int window = 0; window < 20; window++) {
            search = search.next(new Measured(1, MILLIS, search.needed(), true, true, false));
        }

        assertThat(search.inForce()).isEqualTo(2);
    }

    @Test
    void failuresDoNotLowerALimitThatIsNotReached() {
        LimitSearch before = LimitSearch.between(1, 200);
        before = before.next(new Measured(before.needed(), MILLIS, 0, false, false, false));

        LimitSearch after = before.next(new Measured(1, MILLIS, before.needed(), true, false, false));

        assertThat(after).isEqualTo(before);
    }

    @Test
    void noFailureIsSlowBeforeItIsKnownHowLongCallsTake() {
        LimitSearch search = LimitSearch.between(1, 200);

        assertThat(search.isSlow(Math.log(1e12))).isFalse();
        search = search.next(new Measured(search.needed(), MILLIS, 0, false, false, false));
        assertThat(search.isSlow(Math.log(1.9e6))).isFalse();
        assertThat(search.isSlow(Math.log(2.1e6))).isTrue();
    }

    private static Measured saturated(LimitSearch search, double mean) {
        return new Measured(search.needed(), mean, 0, true, true, false);
    }
}
