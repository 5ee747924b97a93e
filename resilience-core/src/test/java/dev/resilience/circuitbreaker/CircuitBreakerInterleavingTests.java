package dev.resilience.circuitbreaker;

import static dev.resilience.circuitbreaker.TestBreaker.down;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import dev.resilience.concurrency.WithoutLog;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.CircuitState;
import dev.resilience.event.EventPublisher;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;

/** The moves of a circuit breaker that one failure opens, as the calls see them that make it move. */
@ExtendWith(WithoutLog.class)
class CircuitBreakerInterleavingTests {

    private static final Duration OPEN = Duration.ofMillis(1);
    private static final Duration PROBE_TIMEOUT = Duration.ofDays(1);
    private static final FaultClassification FAULTS = FaultClassification.ofJdk();
    private static final CircuitBreakerPolicy CLOSED = policy(1, CircuitState.CLOSED);
    private static final CircuitBreakerPolicy ONE_PROBE = policy(1, CircuitState.OPEN);
    private static final CircuitBreakerPolicy TWO_PROBES = policy(2, CircuitState.OPEN);

    @Interleaved(alwaysModelChecked = true)
    void fromClosedToTheFirstProbeItIsLinearizable(Interleavings mode) {
        mode.linearizable(UntilTheFirstProbe.class, OneAtATime.class);
    }

    @Interleaved
    void withProbesItIsLinearizable(Interleavings mode) {
        mode.linearizable(WithProbes.class, OneAtATimeFromOpen.class);
    }

    @Interleaved
    void nobodyGetsInBesidesAProbeThatFails(Interleavings mode) {
        mode.explore(threads -> {
            CircuitBreaker breaker = open(ONE_PROBE, new StubTime());
            Permit probe = tryAdmit(breaker);
            AtomicInteger admitted = new AtomicInteger();

            threads.run(() -> probe.failed(0, down()), () -> countIfAdmitted(breaker, admitted));

            check(admitted.get() == 0, "Admitted between a probe and the open period that follows");
        });
    }

    @Interleaved
    void whoGetsInAfterAProbeThatSucceedsIsNoProbe(Interleavings mode) {
        mode.explore(threads -> {
            CircuitBreaker breaker = open(ONE_PROBE, new StubTime());
            Permit probe = tryAdmit(breaker);
            AtomicReference<Permit> admitted = new AtomicReference<>();

            threads.run(() -> probe.succeeded(0), () -> admitted.set(tryAdmit(breaker)));

            check(admitted.get() == null || admitted.get() instanceof ClosedState, "The result of a call will be lost");
        });
    }

    @Interleaved
    void ofManyCallsAfterTheOpenPeriodOneIsTheProbe(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            CircuitBreaker breaker = open(ONE_PROBE, time);
            AtomicInteger admitted = new AtomicInteger();
            Runnable call = () -> countIfAdmitted(breaker, admitted);

            threads.run(call, call, call);

            check(admitted.get() == 1, admitted.get() + " probes are admitted");
            check(moved(breaker, CircuitState.OPEN, CircuitState.HALF_OPEN) == 1, "It moved more than once");
        });
    }

    @Interleaved
    void twoFailuresOpenItOnce(Interleavings mode) {
        mode.explore(threads -> {
            CircuitBreaker breaker = breaker(CLOSED, new StubTime());
            Permit one = tryAdmit(breaker);
            Permit other = tryAdmit(breaker);

            threads.run(() -> one.failed(0, down()), () -> other.failed(0, down()));

            check(breaker.currentState() == CircuitState.OPEN, "It is " + breaker.currentState());
            check(moved(breaker, CircuitState.CLOSED, CircuitState.OPEN) == 1, "It moved more than once");
        });
    }

    @Interleaved
    void allSuccessesOfProbesCount(Interleavings mode) {
        mode.explore(threads -> {
            CircuitBreaker breaker = open(TWO_PROBES, new StubTime());
            Permit one = tryAdmit(breaker);
            Permit other = tryAdmit(breaker);

            threads.run(() -> one.succeeded(0), () -> other.succeeded(0));

            check(breaker.currentState() == CircuitState.CLOSED, "It is " + breaker.currentState());
            check(moved(breaker, CircuitState.HALF_OPEN, CircuitState.CLOSED) == 1, "It moved more than once");
        });
    }

    @Interleaved
    void aProbeThatOversleptHasOneSuccessorAndNoSay(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            CircuitBreaker breaker = open(ONE_PROBE, time);
            Permit overslept = tryAdmit(breaker);
            time.advance(PROBE_TIMEOUT.toNanos());
            AtomicInteger admitted = new AtomicInteger();
            Runnable call = () -> countIfAdmitted(breaker, admitted);

            threads.run(call, call, () -> overslept.failed(0, down()));
            call.run(); // who lost the place to the return of the late one may try again

            check(admitted.get() == 1, admitted.get() + " probes are admitted");
            check(breaker.currentState() == CircuitState.HALF_OPEN, "It is " + breaker.currentState());
        });
    }

    @Interleaved
    void theOperatorHasTheLastWord(Interleavings mode) {
        mode.explore(threads -> {
            CircuitBreaker breaker = open(ONE_PROBE, new StubTime());
            Permit probe = tryAdmit(breaker);

            threads.run(breaker::close, () -> probe.failed(0, down()));

            check(breaker.currentState() == CircuitState.CLOSED, "It is " + breaker.currentState());
        });
    }

    @Interleaved
    void anOpeningByHandIsUndoneByNoProbe(Interleavings mode) {
        mode.explore(threads -> {
            CircuitBreaker breaker = open(ONE_PROBE, new StubTime());
            Permit probe = tryAdmit(breaker);

            threads.run(breaker::open, () -> probe.succeeded(0));

            check(breaker.currentState() == CircuitState.OPEN, "It is " + breaker.currentState());
            check(breaker.status().failedProbes() == 0, "A probe of the past counts");
        });
    }

    @Interleaved
    void aProbingBegunByHandLetsNoMoreThanItsProbesIn(Interleavings mode) {
        mode.explore(threads -> {
            CircuitBreaker breaker = breaker(ONE_PROBE, new StubTime());
            AtomicInteger admitted = new AtomicInteger();
            Runnable call = () -> countIfAdmitted(breaker, admitted);

            threads.run(breaker::halfOpen, call, call);
            call.run();

            check(admitted.get() == 1, admitted.get() + " probes are admitted");
            check(breaker.status().state() == CircuitState.HALF_OPEN, "It is " + breaker.currentState());
        });
    }

    @Interleaved
    void aFailureOpensItWhicheverOfTwoPoliciesHoldsThatOpenByTheSameCalls(Interleavings mode) {
        mode.explore(threads -> {
            CircuitBreaker breaker = breaker(CLOSED, new StubTime());
            Permit permit = tryAdmit(breaker);

            threads.run(() -> permit.failed(0, down()), () -> breaker.reconfigure(TWO_PROBES));

            check(breaker.currentState() == CircuitState.OPEN, "It is " + breaker.currentState());
            check(breaker.policy().equals(TWO_PROBES), "The new policy is lost");
            check(moved(breaker, CircuitState.CLOSED, CircuitState.OPEN) == 1, "It moved more than once");
        });
    }

    @Interleaved
    void noFailureOpensItOnceItOnlyCounts(Interleavings mode) {
        mode.explore(threads -> {
            CircuitBreaker breaker = breaker(CLOSED, new StubTime());
            Permit permit = tryAdmit(breaker);

            threads.run(breaker::metricsOnly, () -> permit.failed(0, down()));

            check(breaker.currentState() == CircuitState.METRICS_ONLY, "It is " + breaker.currentState());
        });
    }

    private static CircuitBreaker breaker(CircuitBreakerPolicy policy, StubTime time) {
        return new CircuitBreaker(
                "test", policy, new Environment(time, new EventPublisher(), FAULTS, ContextCarrier.standard()));
    }

    /** Opened by one failure, always for as long; closed by the successes of all the probes it lets in at once. */
    private static CircuitBreakerPolicy policy(int probes, CircuitState initialState) {
        return policy(new HalfOpen(probes, probes, PROBE_TIMEOUT), initialState);
    }

    private static CircuitBreakerPolicy policy(HalfOpen halfOpen, CircuitState initialState) {
        return CircuitBreakerPolicy.builder()
                .failureThreshold(1)
                .failureRateThreshold(0)
                .openDuration(OPEN)
                .openDurationMultiplier(1)
                .halfOpen(halfOpen)
                .initialState(initialState)
                .build();
    }

    /** One whose open period is over. */
    private static CircuitBreaker open(CircuitBreakerPolicy policy, StubTime time) {
        CircuitBreaker breaker = breaker(policy, time);
        time.advance(OPEN.toNanos());
        return breaker;
    }

    private static @Nullable Permit tryAdmit(CircuitBreaker breaker) {
        try {
            return breaker.admit();
        } catch (CircuitOpenException refused) {
            return null;
        }
    }

    private static void countIfAdmitted(CircuitBreaker breaker, AtomicInteger admitted) {
        if (tryAdmit(breaker) != null) {
            admitted.incrementAndGet();
        }
    }

    private static long moved(CircuitBreaker breaker, CircuitState from, CircuitState to) {
        return breaker.transitions(from, to);
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }

    /** One call on each thread. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class UntilTheFirstProbe {

        final Permit[] permits = new Permit[10];
        private final CircuitBreaker breaker;

        public UntilTheFirstProbe() {
            this(CLOSED);
        }

        UntilTheFirstProbe(CircuitBreakerPolicy policy) {
            this.breaker = breaker(policy, new OpenPeriodsAreOver());
        }

        @Operation(params = "thread")
        public boolean admit(int thread) {
            if (permits[thread] != null) {
                return false;
            }
            permits[thread] = tryAdmit(breaker);
            return permits[thread] != null;
        }

        @Operation(params = "thread")
        public void failUnlessProbe(int thread) {
            Permit permit = permits[thread];
            if (permit instanceof ClosedState) {
                permits[thread] = null;
                permit.failed(0, down());
            }
        }

        /**
         * An open period begins a moment before the state is seen, so there is no telling whether a clock that moves meanwhile
         * counts. Here it moves on whenever it is asked.
         */
        private static final class OpenPeriodsAreOver extends StubTime {

            @Override
            public long nanoTime() {
                advance(OPEN.toNanos());
                return super.nanoTime();
            }
        }
    }

    /** The same, and probes that end. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class WithProbes extends UntilTheFirstProbe {

        public WithProbes() {
            super(ONE_PROBE);
        }

        @Operation(params = "thread")
        public void fail(int thread) {
            end(thread, permit -> permit.failed(0, down()));
        }

        @Operation(params = "thread")
        public void succeed(int thread) {
            end(thread, permit -> permit.succeeded(0));
        }

        @Operation(params = "thread")
        public void ignore(int thread) {
            end(thread, Permit::ignored);
        }

        private void end(int thread, Consumer<Permit> how) {
            Permit permit = permits[thread];
            if (permit != null) {
                permits[thread] = null;
                how.accept(permit);
            }
        }
    }

    /** The specification: one failure opens, one success closes, one probe at a time. */
    public static class OneAtATime {

        private final Map<Integer, Integer> callsByStay = new HashMap<>();
        private CircuitState state;
        private int stay;
        private boolean probing;

        public OneAtATime() {
            this(CircuitState.CLOSED);
        }

        OneAtATime(CircuitState initialState) {
            this.state = initialState;
        }

        public boolean admit(int thread) {
            if (callsByStay.containsKey(thread)) {
                return false;
            }
            if (state == CircuitState.OPEN) {
                move(CircuitState.HALF_OPEN);
            }
            if (probing) {
                return false;
            }
            probing = state == CircuitState.HALF_OPEN;
            callsByStay.put(thread, probing ? stay : -stay - 1);
            return true;
        }

        public void failUnlessProbe(int thread) {
            if (callsByStay.getOrDefault(thread, 0) < 0) {
                fail(thread);
            }
        }

        public void fail(int thread) {
            if (ends(thread)) {
                move(CircuitState.OPEN);
            }
        }

        public void succeed(int thread) {
            if (ends(thread) && state == CircuitState.HALF_OPEN) {
                move(CircuitState.CLOSED);
            }
        }

        public void ignore(int thread) {
            ends(thread);
        }

        /** Whether its result still counts. */
        private boolean ends(int thread) {
            Integer admittedIn = callsByStay.remove(thread);
            if (admittedIn == null || (admittedIn < 0 ? -admittedIn - 1 : admittedIn) != stay) {
                return false;
            }
            probing = false;
            return true;
        }

        private void move(CircuitState to) {
            state = to;
            stay++;
            probing = false;
        }
    }

    /** The specification, for one that begins OPEN. */
    public static class OneAtATimeFromOpen extends OneAtATime {

        public OneAtATimeFromOpen() {
            super(CircuitState.OPEN);
        }
    }
}
