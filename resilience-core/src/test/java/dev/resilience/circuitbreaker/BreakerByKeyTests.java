package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.concurrency.WithoutLog;
import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.KeyedObjects;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Each key has a circuit breaker of its own; the one of the policy opens for all when half of the keys are open. */
@ParameterizedClass
@EnumSource
@ExtendWith(WithoutLog.class)
class BreakerByKeyTests {

    private final CallMode mode;
    private final ManualTimeSource time = new ManualTimeSource();
    private final List<ResilienceEvent> events = new CopyOnWriteArrayList<>();
    private CircuitBreaker breaker = breaker(10_000);

    BreakerByKeyTests(CallMode mode) {
        this.mode = mode;
    }

    private CircuitBreaker breaker(int maxKeys) {
        return breaker(TestBreaker.consecutive(2).maxKeys(maxKeys));
    }

    private CircuitBreaker breaker(CircuitBreakerPolicy.Builder policy) {
        EventPublisher listeners = new EventPublisher();
        listeners.add(events::add);
        Environment plain = Environment.of(time);
        return new CircuitBreaker(
                "crm", policy.build(), new Environment(time, listeners, plain.faults(), plain.carrier()));
    }

    private KeyedObjects<CircuitBreaker> keysOf() {
        return Objects.requireNonNull(breaker.keys());
    }

    private CircuitBreaker ofKey(String key) {
        return Objects.requireNonNull(keysOf().find(key));
    }

    private String call(String key) throws Throwable {
        return mode.call(Pipeline.of(breaker.forKey(key)), () -> "answer");
    }

    private void fail(String... keys) {
        for (String key : keys) {
            assertThat(catchThrowable(() -> mode.call(Pipeline.of(breaker.forKey(key)), () -> {
                        throw new ConnectException("down");
                    })))
                    .isInstanceOf(ConnectException.class);
        }
    }

    private void open(String... keys) {
        fail(keys);
        fail(keys);
    }

    private void openOneByOne(String... keys) {
        for (String key : keys) {
            open(key);
        }
    }

    private void assertRefused(String key) {
        assertThatThrownBy(() -> call(key)).isInstanceOf(CircuitOpenException.class);
    }

    private static String[] keys(int from, int to) {
        return java.util.stream.IntStream.range(from, to).mapToObj(i -> "k" + i).toArray(String[]::new);
    }

    @Test
    void aKeyThatFailsTakesNoOtherWithIt() throws Throwable {
        open("bad");
        assertRefused("bad");
        assertThat(call("good")).isEqualTo("answer");

        time.advance(Duration.ofSeconds(30));
        call("bad");
        call("bad");
        assertThat(ofKey("bad").currentState()).isEqualTo(CircuitState.CLOSED);

        assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);
        assertThat(breaker.calls().get(CircuitBreakerOutcome.FAILURE)).isEqualTo(2);
        assertThat(breaker.calls().get(CircuitBreakerOutcome.SUCCESS)).isEqualTo(3);
        assertThat(breaker.calls().get(CircuitBreakerOutcome.REJECTED)).isEqualTo(1);
        assertThat(breaker.transitions(CircuitState.CLOSED, CircuitState.OPEN)).isEqualTo(1);
    }

    @Test
    void listenersGetTheKeyAndExceptionsDoNot() {
        open("tenant\n7");
        assertThatThrownBy(() -> call("tenant\n7"))
                .hasMessageContaining("'crm[key]'")
                .extracting(refusal -> ((CircuitOpenException) refusal).name())
                .isEqualTo("crm[key]");
        assertThat(events)
                .hasExactlyElementsOfTypes(CircuitStateChanged.class, CallRejected.class)
                .allSatisfy(event -> assertThat(event.name()).isEqualTo("crm[tenant?7]"))
                .allSatisfy(event -> assertThat(event.policyName()).isEqualTo("crm"));
    }

    @Test
    void whatAnOperatorDoesHoldsForAllKeys() throws Throwable {
        open("bad");
        breaker.forceOpen();
        assertRefused("good");
        breaker.disable();
        assertThat(call("bad")).isEqualTo("answer");
        breaker.close();
        assertRefused("bad");
        assertThat(call("good")).isEqualTo("answer");

        ofKey("bad").reset();
        assertThat(call("bad")).isEqualTo("answer");
    }

    @Test
    void halfOfAtLeastTenKeysOpenItForAllAndAProbeClosesItAgain() throws Throwable {
        open(keys(0, 4));
        for (String key : keys(4, 9)) {
            call(key);
        }
        open("k4");
        assertThat(breaker.currentState()).as("5 of 9").isEqualTo(CircuitState.CLOSED);
        call("k9");
        call("k10");
        open("k5");
        assertThat(breaker.currentState()).as("6 of 11").isEqualTo(CircuitState.OPEN);
        assertThat(breaker.status().reason())
                .isEqualTo("6 of 11 keys are open, which is half of the keys or more (half-of-keys)");
        assertRefused("k9");
        assertRefused("new");

        time.advance(Duration.ofSeconds(30));
        call("k9");
        call("new");
        assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);
        call("k1");
        assertThat(ofKey("k1").currentState())
                .as("each key is probed by itself")
                .isEqualTo(CircuitState.HALF_OPEN);
    }

    @Test
    void fewerThanHalfOfTheKeysDoNot() throws Throwable {
        for (String key : keys(0, 11)) {
            call(key);
        }
        open(keys(0, 5));
        assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);

        time.advance(Duration.ofSeconds(30));
        open("k6");
        assertThat(breaker.currentState()).as("the others are due for a probe").isEqualTo(CircuitState.CLOSED);

        keysOf().clear();
        open(keys(0, 9));
        assertThat(breaker.currentState()).as("9 of 9").isEqualTo(CircuitState.CLOSED);
        open("k9");
        assertThat(breaker.currentState()).as("10 of 10").isEqualTo(CircuitState.OPEN);
    }

    @Test
    void aKeyBeginsClosedWhateverThePolicyBeginsAs() throws Throwable {
        breaker = breaker(TestBreaker.consecutive(2).initialState(CircuitState.FORCED_OPEN));
        assertRefused("a");
        breaker.close();
        assertThat(call("a")).isEqualTo("answer");
        ofKey("a").reset();
        assertThat(call("a")).isEqualTo("answer");

        breaker = breaker(TestBreaker.consecutive(2).initialState(CircuitState.OPEN));
        assertRefused("a");
        time.advance(Duration.ofSeconds(30));
        call("a");
        call("a");
        assertThat(call("new")).as("closed by probes").isEqualTo("answer");

        breaker = breaker(TestBreaker.consecutive(2).initialState(CircuitState.DISABLED));
        call("a");
        breaker.close();
        open("a");
        assertRefused("a");
    }

    /** Ten or twelve of twenty tenants are down for twenty minutes: soon the others are not refused any more. */
    @Test
    void halfOfTheTenantsThatStayDownDoNotTakeTheOthersWithThemForLong() {
        for (int down : new int[] {10, 12}) {
            breaker = breaker(CircuitBreakerPolicy.builder());
            Random random = new Random(1);
            int last = 0;
            for (int call = 0; call < 20 * 1_200; call++) {
                int tenant = random.nextInt(20);
                Throwable failure = catchThrowable(() -> mode.call(Pipeline.of(breaker.forKey("t" + tenant)), () -> {
                    if (tenant < down) {
                        throw new ConnectException("down");
                    }
                    return "answer";
                }));
                last = tenant >= down && failure != null ? call : last;
                time.advance(Duration.ofMillis(50));
            }
            assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);
            assertThat(last / 20).as("seconds, %s of 20 are down", down).isBetween(30, down == 10 ? 60 : 600);
        }
    }

    @Test
    void whatAnOperatorClosesStaysClosedWhileTheProbesOfKeysFail() throws Throwable {
        openOneByOne(keys(0, 10));
        assertThat(breaker.currentState()).isEqualTo(CircuitState.OPEN);
        breaker.close();
        time.advance(Duration.ofMinutes(1));
        fail(keys(0, 10));
        assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);
        assertThat(call("good")).isEqualTo("answer");
    }

    @Test
    void aCallOfAKeyThatIsOpenIsNoProbeOfThePolicy() throws Throwable {
        for (String key : keys(0, 20)) {
            call(key);
        }
        ofKey("k15").forceOpen();
        open(keys(0, 10));
        assertThat(breaker.currentState()).isEqualTo(CircuitState.OPEN);
        ofKey("k16").open();
        time.advance(Duration.ofSeconds(29));
        ofKey("k17").open();
        time.advance(Duration.ofSeconds(1));

        assertRefused("k15");
        assertRefused("k17");
        assertThat(breaker.currentState()).isEqualTo(CircuitState.OPEN);
        fail("k0");
        assertThat(ofKey("k0").status().failedProbes()).as("its own probe").isEqualTo(1);
        call("k16");
        call("k16");
        assertThat(ofKey("k16").currentState()).isEqualTo(CircuitState.CLOSED);
        assertThat(breaker.currentState()).isEqualTo(CircuitState.OPEN);
        call("k16");
        assertThat(breaker.currentState()).isEqualTo(CircuitState.HALF_OPEN);
        assertRefused("k15");
        call("k18");
        assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void halfOfTheKeysAreCountedAfterMaxKeysWasLoweredAfterAResetAndWithThoseOpenedByHand() throws Throwable {
        for (String key : keys(0, 400)) {
            call(key);
        }
        open("k0");
        breaker.reconfigure(TestBreaker.consecutive(2).maxKeys(20).build());
        for (String key : keys(1_000, 1_400)) {
            call(key);
        }
        open(keys(1_391, 1_400));
        assertThat(breaker.currentState()).as("lowered").isEqualTo(CircuitState.OPEN);

        breaker.reset();
        keysOf().clear();
        openOneByOne(keys(0, 10));
        assertThat(breaker.currentState()).as("reset").isEqualTo(CircuitState.OPEN);

        breaker = breaker(10_000);
        for (String key : keys(0, 20)) {
            call(key);
        }
        open("k0");
        for (String key : keys(1, 10)) {
            ofKey(key).open();
        }
        open("k10");
        assertThat(breaker.currentState()).as("by hand").isEqualTo(CircuitState.OPEN);
    }

    @Test
    void halfOfTheKeysAreNoticedWhenRacingThreadsOpenThem() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            breaker = breaker(TestBreaker.consecutive(1));
            for (String key : keys(0, 24)) {
                breaker.forKey(key);
                keysOf().get(key);
            }
            Thread[] callers = new Thread[4];
            CountDownLatch begin = new CountDownLatch(1);
            for (int t = 0; t < callers.length; t++) {
                String[] own = keys(3 * t, 3 * t + 3);
                callers[t] = new Thread(() -> {
                    await(begin);
                    for (String key : own) {
                        Throwable down = catchThrowable(() -> mode.call(Pipeline.of(breaker.forKey(key)), () -> {
                            throw new ConnectException("down");
                        }));
                        assertThat(down).isNotNull();
                    }
                });
                callers[t].start();
            }
            begin.countDown();
            for (Thread caller : callers) {
                caller.join();
            }
            assertThat(breaker.currentState()).isEqualTo(CircuitState.OPEN);
        }
    }

    @Test
    void aKeyThatIsOpenStaysWhileManyOthersComeAndGo() throws Throwable {
        breaker = breaker(20);
        open("bad");
        for (String key : keys(0, 1_000)) {
            call(key);
        }
        assertRefused("bad");
        assertThat(keysOf().size()).isEqualTo(20);

        open(keys(2_000, 2_009));
        assertThat(breaker.currentState()).as("10 of 20 with those that went").isEqualTo(CircuitState.OPEN);
        assertThat(breaker.status().reason()).startsWith("10 of 20 keys");
    }

    @Test
    void aKeyThatWasMovedByHandStaysHoweverManyOthersOpen() throws Throwable {
        breaker = breaker(8);
        call("bad");
        ofKey("bad").forceOpen();
        for (String key : keys(0, 40)) {
            breaker.close();
            open(key);
        }
        breaker.close();
        assertRefused("bad");
        assertThat(keysOf().size()).isLessThanOrEqualTo(9);
    }

    @Test
    void aKeyThatIsOpenAndNotCalledForLongGoesAsOneThatIsClosed() {
        breaker = breaker(10);
        openOneByOne(keys(0, 9));
        time.advance(Duration.ofMinutes(10));
        assertThat(ofKey("k0").isAtWork()).isTrue();
        time.advance(Duration.ofSeconds(1));
        assertThat(ofKey("k0").isAtWork()).isFalse();

        fail("x", "y", "x", "y");
        assertRefused("x");
        assertRefused("y");
    }

    @Test
    void aNewPolicyReachesAllKeysAndThoseThatComeLater() throws Throwable {
        call("known");
        breaker.reconfigure(TestBreaker.consecutive(1).build());
        fail("known", "new");
        assertRefused("known");
        assertRefused("new");
    }

    @Test
    void aKeyThatIsMadeWhileThePolicyChangesHasTheNewOne() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            breaker = breaker(10_000);
            breaker.forKey("first");
            KeyedObjects<CircuitBreaker> known = keysOf();
            CountDownLatch begin = new CountDownLatch(1);
            Thread caller = new Thread(() -> {
                await(begin);
                for (String key : keys(0, 20)) {
                    known.get(key);
                }
            });
            Thread operator = new Thread(() -> {
                await(begin);
                breaker.reconfigure(TestBreaker.consecutive(2).build());
                breaker.reconfigure(TestBreaker.consecutive(3).build());
            });
            caller.start();
            operator.start();
            begin.countDown();
            caller.join();
            operator.join();

            assertThat(known.count(key -> key.policy().failureThreshold() != 3)).isZero();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }

    /** An hour in which a hundred thousand tenants are called, one of which is always down. */
    @Test
    void ofAHundredThousandKeysOnlyTheFailingOneIsRefused() throws Throwable {
        breaker = breaker(10_000);
        int keys = 100_000;
        int refused = 0;
        int made = 0;
        long before = usedMemory();
        for (int minute = 0; minute < 60; minute++) {
            for (int i = 0; i < keys / 20; i++) {
                call("t" + (minute % 20 * (keys / 20) + i));
                if (i % 100 == 0) {
                    Throwable failure = catchThrowable(() -> mode.call(Pipeline.of(breaker.forKey("down")), () -> {
                        throw new ConnectException("down");
                    }));
                    refused += failure instanceof CircuitOpenException ? 1 : 0;
                    made += failure instanceof ConnectException ? 1 : 0;
                }
            }
            time.advance(Duration.ofMinutes(1));
        }
        long bytes = (usedMemory() - before) / keysOf().size();

        assertThat(breaker.calls().get(CircuitBreakerOutcome.SUCCESS))
                .as("none is refused")
                .isEqualTo(3L * keys);
        assertThat(refused).isEqualTo(3_000 - made);
        assertThat(made).as("two that open, then a probe a minute").isEqualTo(61);
        assertThat(keysOf().size()).isEqualTo(10_000);
        assertThat(keysOf().count(key -> key.currentState() != CircuitState.CLOSED))
                .isEqualTo(1);
        System.out.println("A key's circuit breaker takes " + bytes + " bytes");
        assertThat(bytes).isLessThan(6_000);
    }

    static long usedMemory() {
        System.gc();
        Runtime now = Runtime.getRuntime();
        return now.totalMemory() - now.freeMemory();
    }

    /** More keys than may be known at once, called by several threads: each failure counts for its key alone. */
    @Test
    void racingCallsOfManyKeysAreAllCounted() throws InterruptedException {
        breaker = breaker(8);
        int threads = 4;
        int calls = 10_000;
        AtomicReference<Throwable> wrong = new AtomicReference<>();
        ConcurrentHashMap<String, Boolean> seen = new ConcurrentHashMap<>();
        Thread[] callers = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            callers[t] = new Thread(() -> {
                try {
                    for (int i = 0; i < calls; i++) {
                        String key = "k" + ThreadLocalRandom.current().nextInt(32);
                        seen.put(key, true);
                        call(key);
                    }
                } catch (Throwable refused) {
                    wrong.set(refused);
                }
            });
            callers[t].start();
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(wrong).hasNullValue();
        assertThat(seen).hasSize(32);
        assertThat(breaker.calls().get(CircuitBreakerOutcome.SUCCESS)).isEqualTo((long) threads * calls);
        assertThat(keysOf().size()).isLessThanOrEqualTo(8 + threads);
    }
}
