package dev.resilience.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.context.Deadline;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.ratelimit.RateLimitPolicy.OnStoreFailure;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SharedPermitsTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final ModelStore store = new ModelStore(time);

    private SharedLimit limit(String node) {
        return new SharedLimit("limit", store, node, time);
    }

    private Permits permits(RateLimitPolicy policy) {
        return limit("a").permits(null, policy);
    }

    private static RateLimitPolicy.Builder policy(int permits, Duration period) {
        return RateLimitPolicy.builder().permits(permits).period(period);
    }

    private static boolean isGranted(Permits permits) {
        return permits.acquire(0, true) == 0;
    }

    @Test
    void atALowRateItAnswersAsOneProcessDoes() {
        RateLimitPolicy slow = policy(5, Duration.ofSeconds(10)).burst(3).build();
        Permits shared = permits(slow);
        Gcra alone = new Gcra(slow, time);
        Random random = new Random(1);
        for (int call = 0; call < 5_000; call++) {
            time.advance(Duration.ofMillis(random.nextInt(2_000)));
            long maxWait = 1_000_000L * random.nextInt(2) * random.nextInt(5_000);
            long answer = shared.acquire(maxWait, true);
            assertThat(answer).as("call %s", call).isCloseTo(alone.acquire(maxWait, true), within(2_000));
        }
    }

    private static Offset<Long> within(long nanos) {
        return Offset.offset(nanos);
    }

    @Test
    void atAHighRateItAsksAFewTimesASecond() {
        Permits shared = permits(policy(10_000, Duration.ofSeconds(1)).build());
        int granted = 0;
        for (int call = 0; call < 10_000; call++) {
            granted += isGranted(shared) ? 1 : 0;
            time.advance(Duration.ofMillis(1));
            store.questions = call == 1_000 ? 0 : store.questions;
        }
        assertThat(granted).isEqualTo(10_000);
        assertThat(store.questions).isLessThan(9 * 10);
    }

    /** The table of docs/rate-limit-shared.md. */
    @ParameterizedTest
    @CsvSource({"1000, 3, 100, 6", "10000, 1, 1000, 5", "10000, 3, 5000, 30", "50, 3, 10, 10"})
    void itAsksAsOftenAsTheTableSays(int burst, int processes, int callsASecond, int questionsASecond) {
        RateLimitPolicy policy =
                policy(20_000, Duration.ofSeconds(1)).burst(burst).build();
        List<Permits> all = IntStream.range(0, processes)
                .mapToObj(node -> limit("node" + node).permits(null, policy))
                .toList();
        for (int call = 0; call < 13 * callsASecond; call++) {
            store.questions = call == 3 * callsASecond ? 0 : store.questions;
            all.forEach(SharedPermitsTests::isGranted);
            time.advance(Duration.ofNanos(1_000_000_000 / callsASecond));
        }
        assertThat(store.questions / 10.0 / processes).isCloseTo(questionsASecond, Offset.offset(1.0));
    }

    @Test
    void oneProcessThatHasAllTheLoadGetsTheWholeRate() {
        RateLimitPolicy policy = policy(10_000, Duration.ofSeconds(1)).build();
        isGranted(limit("b").permits(null, policy));
        Permits shared = permits(policy);
        int granted = 0;
        for (int call = 0; call < 300_000; call++) {
            granted += isGranted(shared) ? 1 : 0;
            store.questions = call == 30_000 ? 0 : store.questions;
            time.advance(Duration.ofNanos(33_333)); // three times as many as there are permits
        }
        assertThat(granted).isBetween(108_000, 110_001);
        assertThat(store.questions).isLessThan(60 * 10);
    }

    @Test
    void aSaturatedLimitWithSmallBurstIsExact() {
        Permits shared = permits(policy(100, Duration.ofSeconds(1)).burst(5).build());
        int granted = 0;
        for (int call = 0; call < 10_000; call++) {
            granted += isGranted(shared) ? 1 : 0;
            time.advance(Duration.ofMillis(1));
        }
        assertThat(granted).isBetween(1_004, 1_005);
    }

    @Test
    void leasesOfAllTogetherAreATenthOfTheBurst() {
        RateLimitPolicy many = policy(10_000, Duration.ofSeconds(1)).build();
        List<SharedLimit> limits =
                IntStream.range(0, 4).mapToObj(i -> limit("node" + i)).toList();
        List<Permits> all =
                limits.stream().map(limit -> limit.permits(null, many)).toList();
        for (int call = 0; call < 30_000; call++) {
            all.forEach(permits -> permits.acquire(0, true));
            time.advance(Duration.ofNanos(400_000));
        }
        long leased = limits.stream()
                .mapToLong(limit -> (long) limit.view().get("leased"))
                .sum();
        assertThat(leased).isBetween(1L, 1_000L);
        assertThat(limits.get(0).view()).containsEntry("nodes", 4).containsEntry("state", "up");
    }

    @Test
    void whatIsLeasedAndNotUsedIsLost() {
        SharedLimit limit = limit("a");
        Permits shared =
                limit.permits(null, policy(1_000, Duration.ofSeconds(1)).build());
        for (int call = 0; call < 1_000; call++) {
            isGranted(shared);
            time.advance(Duration.ofMillis(1));
        }
        assertThat((long) limit.view().get("leased")).isPositive();
        time.advance(Duration.ofSeconds(1));
        assertThat((long) limit.view().get("leased")).isZero();
        int granted = 0;
        while (isGranted(shared)) {
            granted++;
        }
        assertThat(granted).isEqualTo(1_000);
    }

    @Test
    void whileTheStoreIsDownEachProcessHasItsPartAndNoBurstOfIt() {
        RateLimitPolicy policy = policy(100, Duration.ofSeconds(1)).build();
        Permits first = permits(policy);
        isGranted(limit("b").permits(null, policy));
        time.advance(Duration.ofSeconds(20));
        isGranted(first); // sees the other
        store.isDown = true;
        int granted = 0;
        for (int call = 0; call < 10_000; call++) {
            granted += isGranted(first) ? 1 : 0;
            time.advance(Duration.ofMillis(1));
        }
        assertThat(granted).isBetween(499, 500);
    }

    @Test
    void anOpenLimitLetsAllThroughAndAClosedOneNone() {
        store.isDown = true;
        SharedLimit open = limit("a");
        Permits all = open.permits(
                null,
                policy(1, Duration.ofHours(1))
                        .onStoreFailure(OnStoreFailure.OPEN)
                        .build());
        Permits none = limit("b")
                .permits(
                        null,
                        policy(1, Duration.ofHours(1))
                                .onStoreFailure(OnStoreFailure.CLOSED)
                                .build());
        for (int call = 0; call < 10; call++) {
            assertThat(isGranted(all)).isTrue();
            assertThat(none.acquire(Long.MAX_VALUE, true)).isNegative();
        }
        assertThat(open.view()).containsEntry("decidedWithout", 10L).containsEntry("state", "down");
    }

    @Test
    void whileItIsDownTheStoreIsAskedOnceASecond() {
        store.isDown = true;
        Permits shared = permits(policy(1_000, Duration.ofSeconds(1)).build());
        for (int call = 0; call < 10_000; call++) {
            isGranted(shared);
            time.advance(Duration.ofMillis(1));
        }
        assertThat(store.questions).isBetween(10, 11);
    }

    /** In every window, with outages at random: the burst, the rate and a tenth of the burst. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void noWindowHasMoreThanIsPromised(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        int nodes = 1 + random.nextInt(4);
        int burst = 1 + random.nextInt(300);
        int permits = 50 + random.nextInt(1_000);
        RateLimitPolicy policy =
                policy(permits, Duration.ofSeconds(1)).burst(burst).build();
        List<Permits> all = IntStream.range(0, nodes)
                .mapToObj(node -> limit("node" + node).permits(null, policy))
                .toList();
        all.forEach(SharedPermitsTests::isGranted); // so that they know of each other
        time.advance(Duration.ofSeconds(11));
        all.forEach(SharedPermitsTests::isGranted);
        time.advance(Duration.ofSeconds(10));
        List<Long> granted = new ArrayList<>();
        int load = 1;
        for (int step = 0; step < 40_000; step++) {
            if (step % 2_000 == 0) {
                store.isDown = random.nextInt(3) == 0;
                load = random.nextInt(4);
            }
            for (Permits node : all) {
                for (int call = 0; call < load; call++) {
                    if (isGranted(node)) {
                        granted.add(time.nanoTime());
                    }
                }
            }
            time.advance(Duration.ofMillis(1));
        }
        double rate = permits / 1e9;
        double bend = burst / 10 + 2 * nodes;
        double level = 0;
        double most = 0;
        for (int i = 0; i < granted.size(); i++) {
            level = i == 0 ? 0 : Math.max(0, level - (granted.get(i) - granted.get(i - 1)) * rate);
            level++;
            most = Math.max(most, level);
        }
        assertThat(most)
                .as("%s processes, %s/s, burst %s", nodes, permits, burst)
                .isLessThanOrEqualTo(burst + bend);
        assertThat(granted).hasSizeGreaterThan(1_000);
    }

    @Test
    void theCallsThatWaitAreAnsweredByOneQuestion() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        List<RateLimitStore.Request> questions = new CopyOnWriteArrayList<>();
        Permits shared = slow(questions, answer)
                .permits(null, policy(100, Duration.ofHours(100)).build());
        List<CompletableFuture<Long>> calls = calls(shared, 20);
        Awaitility.await().until(() -> questions.size() == 1);
        answer.countDown();
        for (CompletableFuture<Long> call : calls) {
            assertThat(call.get()).isZero();
        }
        assertThat(questions).hasSizeBetween(2, 10);
        assertThat(questions.stream().mapToInt(RateLimitStore.Request::wanted).sum())
                .isBetween(2, 20);
    }

    @Test
    void aStoreThatHangsHoldsNoCallAndItsLateAnswerChangesNothing() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        List<RateLimitStore.Request> questions = new CopyOnWriteArrayList<>();
        SharedLimit limit = slow(questions, answer);
        RateLimitPolicy open = policy(5, Duration.ofHours(5))
                .onStoreFailure(OnStoreFailure.OPEN)
                .build();
        Permits shared = limit.permits(null, open);
        for (CompletableFuture<Long> call : calls(shared, 20)) {
            assertThat(call.get()).isZero();
        }
        assertThat(limit.view()).containsEntry("state", "down");
        assertThat(shared.acquire(0, false)).isZero();
        answer.countDown();
        Awaitility.await().until(() -> {
            shared.acquire(0, false);
            return limit.view().get("state").equals("up");
        });
        assertThat(shared.acquire(0, true)).isZero();
    }

    @Test
    void anInterruptedCallLeavesItsPermitToTheOthers() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        List<RateLimitStore.Request> questions = new CopyOnWriteArrayList<>();
        Permits shared = slow(questions, answer)
                .permits(null, policy(1, Duration.ofHours(1)).build());
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread first = new Thread(() -> {
            boolean isRefused = shared.acquire(0, true) < 0;
            interrupted.complete(isRefused && Thread.currentThread().isInterrupted());
        });
        first.start();
        Awaitility.await().until(() -> questions.size() == 1);
        List<CompletableFuture<Long>> others = calls(shared, 1);
        first.interrupt();
        assertThat(interrupted.get()).isTrue();
        Awaitility.await().until(() -> first.getState() == Thread.State.TERMINATED);
        answer.countDown();
        assertThat(others.get(0).get()).isZero();
    }

    private static List<CompletableFuture<Long>> calls(Permits shared, int number) {
        return IntStream.range(0, number)
                .mapToObj(call -> {
                    CompletableFuture<Long> answer = new CompletableFuture<>();
                    Thread thread = new Thread(() -> answer.complete(shared.acquire(0, true)));
                    thread.start();
                    Awaitility.await()
                            .pollInterval(Duration.ofMillis(1))
                            .until(() -> isWaiting(thread) || answer.isDone());
                    return answer;
                })
                .toList();
    }

    private static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void theRefusalOfAClosedLimitSaysThatItsStoreDoesNotAnswerWhateverTheDeadline() throws Exception {
        store.isDown = true;
        RateLimitPolicy closed = policy(10, Duration.ofSeconds(1))
                .maxWait(Duration.ofSeconds(2))
                .onStoreFailure(OnStoreFailure.CLOSED)
                .build();
        Pipeline calls = Pipeline.of(new RateLimit("orders", closed, Environment.of(time), limit("a")));

        Throwable refused =
                Deadline.in(Duration.ofMinutes(1), time).call(() -> catchThrowable(() -> calls.call(() -> 1)));

        assertThat(refused)
                .isInstanceOfSatisfying(
                        RateLimitExceededException.class,
                        exceeded -> assertThat(exceeded.retryAfter()).isEqualTo(Duration.ofSeconds(1)))
                .hasMessage("Rate limit 'orders' refused the call, because its store does not answer");
    }

    /** What ends the wait for the answer of a store that hangs. Without it, the limit lets the call through after its timeout. */
    @Nested
    class WhileTheStoreIsAsked {

        private final CountDownLatch answer = new CountDownLatch(1);
        private final List<RateLimitStore.Request> questions = new CopyOnWriteArrayList<>();
        private final RateLimit limit = new RateLimit(
                "orders",
                policy(5, Duration.ofHours(5))
                        .maxWait(Duration.ofSeconds(1))
                        .onStoreFailure(OnStoreFailure.OPEN)
                        .build(),
                Environment.of(TimeSource.system()),
                slow(questions, answer));
        private final CompletableFuture<Boolean> flag = new CompletableFuture<>();
        private final AtomicReference<Throwable> refused = new AtomicReference<>();

        @AfterEach
        void answer() {
            answer.countDown();
            limit.close();
        }

        private Thread call(Duration deadline, boolean isInterrupted) {
            Thread caller = new Thread(() -> {
                if (isInterrupted) {
                    Thread.currentThread().interrupt();
                }
                Deadline.makeCurrent(Deadline.in(deadline));
                refused.set(catchThrowable(() -> Pipeline.of(limit).call(() -> 1)));
                flag.complete(Thread.currentThread().isInterrupted());
            });
            caller.start();
            Awaitility.await().until(() -> (questions.size() == 1 && isWaiting(caller)) || flag.isDone());
            return caller;
        }

        @Test
        void theDeadlineEndsTheWait() {
            call(Duration.ofMillis(50), false);
            assertThat(flag.join()).isFalse();
            assertThat(refused.get())
                    .isInstanceOf(DeadlineExceededException.class)
                    .hasMessage("The deadline comes before a permit of rate limit 'orders': the call was not made");
        }

        @Test
        void theEndOfTheApplicationEndsTheWait() {
            call(Duration.ofMinutes(1), false);
            limit.waits.stop();
            assertThat(flag.join()).isFalse();
            assertThat(refused.get())
                    .isInstanceOf(RateLimitExceededException.class)
                    .hasMessageContaining("the application ends");
        }

        @Test
        void anInterruptEndsTheWaitAndStaysSet() {
            call(Duration.ofMinutes(1), false).interrupt();
            assertThat(flag.join()).isTrue();
            assertThat(refused.get())
                    .isInstanceOf(RateLimitExceededException.class)
                    .hasMessageContaining("it was interrupted while it waited for its permit");
        }

        @Test
        void anInterruptFromBeforeDoesNotEndIt() {
            call(Duration.ofMinutes(1), true);
            answer.countDown();
            assertThat(flag.join()).isTrue();
            assertThat(refused.get()).isNull();
        }
    }

    /** On the real clock, because the store blocks. */
    private static SharedLimit slow(List<RateLimitStore.Request> questions, CountDownLatch answer) {
        ModelStore model = new ModelStore(TimeSource.system());
        RateLimitStore store = new RateLimitStore() {
            @Override
            public RateLimitPolicy.Store type() {
                return RateLimitPolicy.Store.JDBC;
            }

            @Override
            public Answer take(Request request) {
                questions.add(request);
                try {
                    answer.await();
                } catch (InterruptedException stopped) {
                    throw new IllegalStateException(stopped);
                }
                return model.take(request);
            }

            @Override
            public int nodes(String limit, String node) {
                return 1;
            }
        };
        return new SharedLimit("limit", store, "a", TimeSource.system());
    }
}
