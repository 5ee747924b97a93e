package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The promise of the budget: in any sliding window, retries ≤ min-retries-per-second × window + max-ratio × first
 * attempts. Tried on random histories and checked by counting, for every window that begins or ends with a retry: all
 * others contain no more retries than one of those.
 */
class RetryBudgetPropertyTests {

    private static final double ROUNDING = 1e-5;

    @Test
    void noWindowContainsMoreRetriesThanPromised() {
        for (int seed = 0; seed < 300; seed++) {
            History history = new History(new SplittableRandom(seed));
            history.happen(1_500);
            history.assertEveryWindowKeepsThePromise();
        }
    }

    @Test
    void noShorterStretchContainsMoreThanTheMinimumAndWhatItsOwnCallsPayFor() {
        for (int seed = 0; seed < 100; seed++) {
            History history = new History(new SplittableRandom(seed));
            history.happen(1_000);
            history.assertEveryStretchKeepsThePromise();
        }
    }

    @Test
    void whatIsSaidToBeAvailableIsGranted() {
        for (int seed = 0; seed < 100; seed++) {
            History history = new History(new SplittableRandom(seed));
            for (int i = 0; i < 20; i++) {
                history.happen(50);
                long available = history.budget.available();
                long granted = 0;
                while (granted <= available && history.budget.tryAcquire()) {
                    granted++;
                }
                assertThat(granted).isEqualTo(available);
            }
        }
    }

    private static final class History {

        private final SplittableRandom random;
        private final ManualTimeSource time = new ManualTimeSource();
        private final RetryBudgetPolicy policy;
        private final RetryBudget budget;
        private final List<Long> callTimes = new ArrayList<>();
        private final List<Long> retryTimes = new ArrayList<>();
        private final List<Integer> callsBeforeRetry = new ArrayList<>();

        History(SplittableRandom random) {
            this.random = random;
            double ratio = random.nextInt(5) == 0 ? random.nextInt(2) : random.nextDouble();
            time.advance(Duration.ofNanos(random.nextLong(1_000_000_000)));
            long window = (long) Math.pow(10, random.nextDouble() * 10.5); // from a nanosecond to half a minute
            double minimum = Math.ceil(random.nextDouble() * 100 / window * 1e9);
            policy = new RetryBudgetPolicy(
                    ratio, Duration.ofNanos(window), (int) Math.min(Integer.MAX_VALUE, Math.max(1, minimum)));
            budget = new RetryBudget("any", policy, time);
        }

        /** Calls, retries and pauses, in bursts, at a pace that makes windows of a few dozen steps. */
        void happen(int steps) {
            double callsShare = random.nextDouble();
            for (int step = 0; step < steps; step++) {
                if (random.nextInt(50) == 0) {
                    callsShare = random.nextDouble();
                }
                if (random.nextInt(3) == 0) {
                    time.advance(pause());
                }
                if (random.nextDouble() < callsShare) {
                    budget.firstAttemptEnded();
                    callTimes.add(time.nanoTime());
                } else if (budget.tryAcquire()) {
                    retried();
                }
            }
        }

        private void retried() {
            retryTimes.add(time.nanoTime());
            callsBeforeRetry.add(callTimes.size());
        }

        private Duration pause() {
            long window = policy.window().toNanos();
            return switch (random.nextInt(20)) {
                case 0 -> policy.window();
                case 1 -> Duration.ofNanos(window + random.nextLong(-1, 2));
                case 2 -> policy.window().dividedBy(20);
                case 3 -> Duration.ofNanos(random.nextLong(3 * window));
                default -> Duration.ofNanos(random.nextLong(window / 5 + 1));
            };
        }

        void assertEveryWindowKeepsThePromise() {
            long window = policy.window().toNanos();
            for (long retry : retryTimes) {
                assertPromise(retry - window, retry);
                assertPromise(retry, retry + window);
            }
        }

        private void assertPromise(long from, long to) {
            int retried = countBefore(to + 1, retryTimes) - countBefore(from, retryTimes);
            int called = countBefore(to + 1, callTimes) - countBefore(from, callTimes);
            assertThat((double) retried)
                    .as("retries from %s to %s of %s", from, to, policy)
                    .isLessThanOrEqualTo(promised(called));
        }

        void assertEveryStretchKeepsThePromise() {
            long window = policy.window().toNanos();
            for (int first = 0; first < retryTimes.size(); first++) {
                int end = countBefore(retryTimes.get(first) + window + 1, retryTimes);
                for (int last = first; last < end; last++) {
                    int called = callsBeforeRetry.get(last) - callsBeforeRetry.get(first);
                    if (last - first + 1 > promised(called)) {
                        fail("retries %s to %s of %s with %s calls between", first, last, policy, called);
                    }
                }
            }
        }

        /** How many of the times, which are in order, lie before the given one. */
        private static int countBefore(long limit, List<Long> times) {
            int low = 0;
            int high = times.size();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (times.get(middle) < limit) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        private double promised(int called) {
            double seconds = policy.window().toNanos() / 1e9;
            return policy.minRetriesPerSecond() * seconds + policy.maxRatio() * called + ROUNDING;
        }
    }
}
