package dev.resilience.spring.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.ratelimit.RateLimitStore;
import dev.resilience.ratelimit.RateLimitStore.Answer;
import dev.resilience.ratelimit.RateLimitStore.Request;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store of permits does. An hour for each permit: the time that a test takes is none. */
public abstract class RateLimitStoreContract {

    private static final RateLimitPolicy TEN =
            RateLimitPolicy.builder().permits(10).period(Duration.ofHours(10)).build();

    private static final Duration HOUR = Duration.ofHours(1);

    protected RateLimitStore store;

    /** One without anything in it. */
    protected abstract RateLimitStore emptyStore();

    /** Lets time pass for the limit without a key. */
    protected abstract void pass(String limit, Duration time);

    /** Lets time pass for the processes that use the limit. */
    protected abstract void passForNodes(String limit, Duration time);

    @BeforeEach
    void create() {
        store = emptyStore();
        store.prepare();
    }

    private static Request request(RateLimitPolicy policy, int wanted, int ahead, Duration maxWait, int debt) {
        return request("limit", null, policy, wanted, ahead, maxWait, debt);
    }

    protected static Request request(
            String limit,
            @Nullable String key,
            RateLimitPolicy policy,
            int wanted,
            int ahead,
            Duration maxWait,
            int debt) {
        double interval = policy.period().toNanos() / 1e3 / policy.permits();
        double burst = interval * policy.capacity();
        long longest = (long) (2 * burst) + policy.maxWait().toNanos() / 1_000;
        return new Request(limit, key, interval, burst, longest, wanted, ahead, maxWait.toNanos() / 1_000, debt);
    }

    private static Duration backlog(Answer answer) {
        return Duration.of(answer.backlog(), ChronoUnit.MICROS);
    }

    private int taken(String limit, @Nullable String key, int wanted) {
        return store.take(request(limit, key, TEN, wanted, 0, Duration.ZERO, 0)).granted();
    }

    @Test
    void aBurstIsThereOnce() {
        assertThat(taken("limit", null, 7)).isEqualTo(7);
        assertThat(taken("limit", null, 7)).isEqualTo(3);
        assertThat(taken("limit", null, 7)).isZero();
    }

    @Test
    void aPermitComesBackWithItsInterval() {
        taken("limit", null, 10);
        pass("limit", HOUR.minusMinutes(1));
        assertThat(taken("limit", null, 7)).isZero();
        pass("limit", Duration.ofMinutes(1));
        assertThat(taken("limit", null, 7)).isEqualTo(1);
    }

    @Test
    void keysAndLimitsDoNotShare() {
        taken("limit", null, 10);
        assertThat(taken("limit", "a", 10)).isEqualTo(10);
        assertThat(taken("limit", "b" + "ä\0'".repeat(1_000), 10)).isEqualTo(10);
        assertThat(taken("other", "a", 10)).isEqualTo(10);
        assertThat(taken("limit", "a", 1)).isZero();
    }

    @Test
    void permitsToComeAreTakenForCallsThatWaitButNotAhead() {
        assertThat(store.take(request(TEN, 12, 5, HOUR.multipliedBy(3), 0)).granted())
                .isEqualTo(12);
        Answer more = store.take(request(TEN, 12, 5, HOUR.multipliedBy(3), 0));
        assertThat(more.granted()).isEqualTo(1);
        assertThat(backlog(more)).isBetween(HOUR.multipliedBy(12).minusMinutes(1), HOUR.multipliedBy(12));
    }

    @Test
    void aDebtIsTakenThereOrNot() {
        assertThat(store.take(request(TEN, 0, 0, Duration.ZERO, 15)).granted()).isZero();
        pass("limit", HOUR.multipliedBy(5));
        assertThat(taken("limit", null, 1)).isZero();
        pass("limit", HOUR.multipliedBy(2));
        assertThat(taken("limit", null, 10)).isEqualTo(2);
    }

    @Test
    void aClockThatIsSetBackRefusesNoLongerThanTwoBursts() {
        taken("limit", null, 1);
        pass("limit", Duration.ofDays(-1_000));
        assertThat(taken("limit", null, 1)).isZero();
        assertThat(backlog(store.take(request(TEN, 0, 0, Duration.ZERO, 1))))
                .isLessThanOrEqualTo(HOUR.multipliedBy(21));
        pass("limit", HOUR.multipliedBy(22));
        assertThat(taken("limit", null, 10)).isEqualTo(10);
    }

    @Test
    void anIntervalNeedNotBeAWholeNumber() {
        for (int permits : new int[] {3, 7, 999, 1_000_000}) {
            RateLimitPolicy odd = RateLimitPolicy.builder()
                    .permits(permits)
                    .period(Duration.ofDays(1))
                    .build();
            Request half = request("odd" + permits, null, odd, permits / 2, 0, Duration.ZERO, 0);
            assertThat(store.take(half).granted()).isEqualTo(permits / 2);
            assertThat(store.take(half).granted()).isEqualTo(permits / 2);
        }
    }

    @Test
    void itGivesWhatTheModelGives() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            int permits = 1 + random.nextInt(20);
            int burst = 1 + random.nextInt(20);
            RateLimitPolicy policy = RateLimitPolicy.builder()
                    .permits(permits)
                    .period(HOUR.multipliedBy(permits))
                    .burst(burst)
                    .maxWait(HOUR.multipliedBy(10))
                    .build();
            String limit = "model" + seed;
            long backlog = 0; // in hours
            for (int step = 0; step < 20; step++) {
                long passed = random.nextInt(3) == 0 ? random.nextInt(10) : 0;
                if (step > 0 && backlog > passed) { // or there is nothing that could be moved
                    pass(limit, HOUR.multipliedBy(passed));
                    backlog -= passed;
                }
                int wanted = random.nextInt(5);
                int ahead = random.nextInt(3) == 0 ? random.nextInt(10) : 0;
                int wait = random.nextInt(4);
                int debt = random.nextInt(10) == 0 ? random.nextInt(3) : 0;
                long before = Math.min(backlog, 2L * burst + 10) + debt;
                long granted = Math.max(
                        Math.min(wanted, Math.max(0, burst + wait - before)),
                        Math.min(wanted + ahead, Math.max(0, burst - before)));
                Answer answer = store.take(request(limit, null, policy, wanted, ahead, HOUR.multipliedBy(wait), debt));
                assertThat(answer.granted()).as("seed %s, step %s", seed, step).isEqualTo((int) granted);
                assertThat(backlog(answer))
                        .isBetween(HOUR.multipliedBy(before).minusMinutes(2), HOUR.multipliedBy(before));
                backlog = before + granted;
            }
        }
    }

    @Test
    void manyTakersGetNoMoreThanThereIs() {
        RateLimitPolicy many = RateLimitPolicy.builder()
                .permits(500)
                .period(Duration.ofDays(500))
                .build();
        int sum = IntStream.range(0, 8)
                .mapToObj(taker -> CompletableFuture.supplyAsync(() -> IntStream.range(0, 40)
                        .map(call -> store.take(request(many, 1, call % 3, Duration.ZERO, 0))
                                .granted())
                        .sum()))
                .toList()
                .stream()
                .mapToInt(CompletableFuture::join)
                .sum();
        assertThat(sum).isEqualTo(500);
    }

    @Test
    void nodesAreCountedForHalfAMinute() {
        assertThat(store.nodes("limit", "a")).isEqualTo(1);
        assertThat(store.nodes("limit", "b")).isEqualTo(2);
        assertThat(store.nodes("limit", "a")).isEqualTo(2);
        assertThat(store.nodes("other", "c")).isEqualTo(1);
        passForNodes("limit", RateLimitStore.SEEN_FOR.plusSeconds(1));
        assertThat(store.nodes("limit", "d")).isEqualTo(1);
    }
}
