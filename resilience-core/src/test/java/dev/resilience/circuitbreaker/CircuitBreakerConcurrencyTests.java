package dev.resilience.circuitbreaker;

import static dev.resilience.circuitbreaker.TestBreaker.down;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.concurrency.WithoutLog;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(WithoutLog.class)
class CircuitBreakerConcurrencyTests {

    private static final int THREADS = 4;

    private final ExecutorService pool = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    private interface Worker {

        void work(Random random) throws Exception;
    }

    private void inParallel(Worker worker) throws Exception {
        List<Callable<Void>> workers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(i);
            workers.add(() -> {
                worker.work(random);
                return null;
            });
        }
        for (Future<Void> done : pool.invokeAll(workers)) {
            done.get();
        }
    }

    /** The callee is well and ill in turns, and time passes with the calls. */
    @ParameterizedTest
    @EnumSource(Window.Type.class)
    void countsEveryCallOnItsWayThroughAllStates(Window.Type window) throws Exception {
        int callsEach = 50_000;
        TestBreaker calls = new TestBreaker(
                CallMode.BLOCKING,
                CircuitBreakerPolicy.builder()
                        .failureThreshold(10)
                        .window(new Window(window, Duration.ofMillis(100), 20))
                        .openDuration(Duration.ofMillis(2))
                        .halfOpen(new HalfOpen(2, 3, Duration.ofMillis(1)))
                        .build());
        Pipeline pipeline = Pipeline.of(calls.breaker);
        AtomicLong bodies = new AtomicLong();
        AtomicLong refusals = new AtomicLong();

        inParallel(random -> {
            for (int i = 0; i < callsEach; i++) {
                boolean ill = i % 1000 < 300;
                if (random.nextInt(10) == 0) {
                    calls.time.advance(Duration.ofNanos(200_000));
                }
                try {
                    pipeline.call(() -> body(random, ill, bodies));
                } catch (CircuitOpenException refused) {
                    refusals.incrementAndGet();
                } catch (IllegalStateException | IllegalArgumentException expected) {
                    assertThat(expected).hasMessage("expected");
                }
            }
        });

        long rejected = calls.breaker.calls().get(CircuitBreakerOutcome.REJECTED);
        assertThat(rejected).isEqualTo(refusals.get()).isPositive();
        assertThat(calls.breaker.calls().total() - rejected).isEqualTo(bodies.get());
        assertThat(bodies.get() + rejected).isEqualTo((long) THREADS * callsEach);
        assertTransitionsLeadFromClosedToWhereItIs(calls);
        assertItRecovers(calls);
    }

    private static String body(Random random, boolean ill, AtomicLong bodies) {
        bodies.incrementAndGet();
        int dice = random.nextInt(100);
        if (dice < 5) {
            throw new IllegalArgumentException("expected");
        }
        if (ill && dice < 80) {
            throw new IllegalStateException("expected");
        }
        return "ok";
    }

    private static void assertTransitionsLeadFromClosedToWhereItIs(TestBreaker calls) {
        for (CircuitState state : CircuitState.values()) {
            long entered = 0;
            long left = 0;
            for (CircuitState other : CircuitState.values()) {
                entered += calls.breaker.transitions(other, state);
                left += calls.breaker.transitions(state, other);
            }
            long began = state == CircuitState.CLOSED ? 1 : 0;
            long isThere = calls.breaker.currentState() == state ? 1 : 0;
            assertThat(began + entered - left).as("%s", state).isEqualTo(isThere);
        }
        assertThat(calls.breaker.transitions(CircuitState.HALF_OPEN, CircuitState.CLOSED))
                .isPositive();
        assertThat(calls.events.stream().filter(CircuitStateChanged.class::isInstance))
                .hasSize((int) allTransitions(calls));
    }

    private static long allTransitions(TestBreaker calls) {
        long all = 0;
        for (CircuitState from : CircuitState.values()) {
            for (CircuitState to : CircuitState.values()) {
                all += calls.breaker.transitions(from, to);
            }
        }
        return all;
    }

    private static void assertItRecovers(TestBreaker calls) throws Exception {
        calls.time.advance(Duration.ofMinutes(1));
        for (int i = 0; i < 3; i++) {
            Pipeline.of(calls.breaker).call(() -> "ok");
        }
        calls.assertIs(CircuitState.CLOSED);
    }

    /** A probing that never ends, because no probe fails and successes are never enough. */
    @Test
    void neverHasMoreProbesUnderWayThanAllowed() throws Exception {
        int allowed = 2;
        TestBreaker calls = new TestBreaker(
                CallMode.BLOCKING,
                TestBreaker.consecutive(1)
                        .halfOpen(new HalfOpen(allowed, Integer.MAX_VALUE, Duration.ofDays(1)))
                        .build());
        calls.openAndWait();
        Pipeline pipeline = Pipeline.of(calls.breaker);
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();

        inParallel(random -> {
            for (int i = 0; i < 50_000; i++) {
                try {
                    pipeline.call(() -> {
                        most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                        for (int spin = random.nextInt(200); spin > 0; spin--) {
                            Thread.onSpinWait();
                        }
                        underWay.decrementAndGet();
                        if (random.nextInt(3) == 0) {
                            throw new IllegalArgumentException("ignored");
                        }
                        return "ok";
                    });
                } catch (CircuitOpenException | IllegalArgumentException expected) {
                    Thread.onSpinWait();
                }
            }
        });

        assertThat(most.get()).isLessThanOrEqualTo(allowed);
        assertThat(calls.breaker.calls().get(CircuitBreakerOutcome.REJECTED)).isPositive();
        calls.assertIs(CircuitState.HALF_OPEN);
        calls.start();
        calls.start();
        calls.refused();
    }

    /** All threads call at the very moment when the open period is over. */
    @Test
    void letsExactlyAsManyProbesInAsAllowed() throws Exception {
        int rounds = 500;
        TestBreaker calls = new TestBreaker(
                CallMode.BLOCKING,
                TestBreaker.consecutive(1)
                        .halfOpen(new HalfOpen(2, 2, Duration.ofDays(1)))
                        .build());
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        AtomicInteger admitted = new AtomicInteger();

        inParallel(random -> {
            for (int round = 1; round <= rounds; round++) {
                if (barrier.await(30, TimeUnit.SECONDS) == 0) {
                    calls.openAndWait();
                }
                barrier.await(30, TimeUnit.SECONDS);
                Permit permit = tryAdmit(calls.breaker);
                barrier.await(30, TimeUnit.SECONDS);
                if (permit != null) {
                    admitted.incrementAndGet();
                    permit.succeeded(0);
                }
                barrier.await(30, TimeUnit.SECONDS);
                assertThat(admitted).hasValue(2 * round);
                assertThat(calls.breaker.currentState()).isEqualTo(CircuitState.CLOSED);
            }
        });

        assertThat(calls.breaker.transitions(CircuitState.OPEN, CircuitState.HALF_OPEN))
                .isEqualTo(rounds);
    }

    /** All threads ask on while the only probe fails or succeeds. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void letsNobodyIntoAProbingThatIsDecided(boolean succeeds) throws Exception {
        int rounds = 3_000;
        TestBreaker calls = new TestBreaker(
                CallMode.BLOCKING,
                TestBreaker.consecutive(1)
                        .halfOpen(new HalfOpen(1, 1, Duration.ofDays(1)))
                        .build());
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        AtomicInteger probes = new AtomicInteger();

        inParallel(random -> {
            for (int round = 1; round <= rounds; round++) {
                if (barrier.await(30, TimeUnit.SECONDS) == 0) {
                    calls.breaker.close();
                    calls.openAndWait();
                }
                barrier.await(30, TimeUnit.SECONDS);
                Permit permit = null;
                for (int i = 0; i < 20 && permit == null; i++) {
                    permit = tryAdmit(calls.breaker);
                }
                if (permit != null && !(permit instanceof ClosedState)) {
                    probes.incrementAndGet();
                    if (succeeds) {
                        permit.succeeded(0);
                    } else {
                        permit.failed(0, down());
                    }
                }
                barrier.await(30, TimeUnit.SECONDS);
                assertThat(probes).hasValue(round);
            }
        });
    }

    /** While calls open and close it and an operator acts, the policy changes, and each change holds. */
    @Test
    void losesNoChangeOfItsPolicy() throws Exception {
        TestBreaker calls = new TestBreaker(CallMode.BLOCKING, shortLived().build());
        Pipeline pipeline = Pipeline.of(calls.breaker);
        AtomicInteger threads = new AtomicInteger();
        AtomicLong bodies = new AtomicLong();

        inParallel(random -> {
            boolean configures = threads.getAndIncrement() == 0;
            for (int i = 0; i < 30_000; i++) {
                if (configures) {
                    CircuitBreakerPolicy policy = shortLived().build();
                    calls.breaker.reconfigure(policy);
                    for (int look = 0; look < 3; look++) {
                        assertThat(calls.breaker.policy()).isSameAs(policy);
                    }
                } else if (random.nextInt(50) == 0) {
                    calls.breaker.close();
                } else {
                    callAndLetTimePass(calls, pipeline, random, bodies);
                }
            }
        });

        calls.breaker.close();
        long rejected = calls.breaker.calls().get(CircuitBreakerOutcome.REJECTED);
        assertThat(calls.breaker.calls().total() - rejected).isEqualTo(bodies.get());
        assertTransitionsLeadFromClosedToWhereItIs(calls);
    }

    private static void callAndLetTimePass(TestBreaker calls, Pipeline pipeline, Random random, AtomicLong bodies)
            throws Exception {
        calls.time.advance(Duration.ofNanos(1));
        try {
            pipeline.call(() -> body(random, random.nextInt(3) == 0, bodies));
        } catch (CircuitOpenException | IllegalStateException | IllegalArgumentException expected) {
            Thread.onSpinWait();
        }
    }

    private static CircuitBreakerPolicy.Builder shortLived() {
        return CircuitBreakerPolicy.builder()
                .failureThreshold(2)
                .openDuration(Duration.ofNanos(2))
                .halfOpen(new HalfOpen(2, 1, Duration.ofNanos(50)));
    }

    private static Permit tryAdmit(CircuitBreaker breaker) {
        try {
            return breaker.admit();
        } catch (CircuitOpenException refused) {
            return null;
        }
    }
}
