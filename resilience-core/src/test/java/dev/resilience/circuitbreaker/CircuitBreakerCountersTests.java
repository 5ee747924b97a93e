package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.EventPublisher;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import dev.resilience.time.ManualTimeSource;
import java.time.Instant;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class CircuitBreakerCountersTests {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final CallMode mode;
    private final TestBreaker calls;

    CircuitBreakerCountersTests(CallMode mode) {
        this.mode = mode;
        this.calls = new TestBreaker(mode, TestBreaker.consecutive(2).build());
    }

    @Test
    void countEveryCallOnce() throws Throwable {
        calls.succeed(3);
        calls.fail(new IllegalArgumentException("ignored"));
        calls.fail(new AssertionError("ignored"));
        calls.start().cancel();
        calls.start().succeed();
        calls.fail(2);
        calls.refused();

        calls.assertCounted(4, 2, 3, 1);
        assertThat(calls.breaker.calls().total()).isEqualTo(10);
    }

    @Test
    void countEveryTransitionOnce() throws Throwable {
        calls.openAndWait();
        calls.fail();
        calls.time.advance(calls.breaker.policy().openDuration());
        calls.succeed(2);

        assertTransitions(CircuitState.CLOSED, CircuitState.OPEN, 1);
        assertTransitions(CircuitState.OPEN, CircuitState.HALF_OPEN, 2);
        assertTransitions(CircuitState.HALF_OPEN, CircuitState.OPEN, 1);
        assertTransitions(CircuitState.HALF_OPEN, CircuitState.CLOSED, 1);
        assertThat(allTransitions()).isEqualTo(5);
    }

    private void assertTransitions(CircuitState from, CircuitState to, long expected) {
        assertThat(calls.breaker.transitions(from, to)).as("%s to %s", from, to).isEqualTo(expected);
    }

    private long allTransitions() {
        long all = 0;
        for (CircuitState from : CircuitState.values()) {
            for (CircuitState to : CircuitState.values()) {
                all += calls.breaker.transitions(from, to);
            }
        }
        return all;
    }

    @Nested
    class TheirEvents {

        @Test
        void tellOfEveryTransitionOnce() throws Throwable {
            calls.openAndWait();
            calls.succeed(2);

            assertThat(calls.events)
                    .containsExactly(
                            new CircuitStateChanged(
                                    START,
                                    "payments",
                                    CircuitState.CLOSED,
                                    CircuitState.OPEN,
                                    "2 calls in a row failed",
                                    "java.lang.IllegalStateException: down",
                                    0,
                                    START.plusSeconds(30)),
                            new CircuitStateChanged(
                                    START.plusSeconds(30),
                                    "payments",
                                    CircuitState.OPEN,
                                    CircuitState.HALF_OPEN,
                                    "the open period of 30 s is over",
                                    "java.lang.IllegalStateException: down",
                                    0,
                                    null),
                            new CircuitStateChanged(
                                    START.plusSeconds(30),
                                    "payments",
                                    CircuitState.HALF_OPEN,
                                    CircuitState.CLOSED,
                                    "2 probes succeeded",
                                    null,
                                    0,
                                    null));
        }

        @Test
        void tellOfEveryRefusalOnce() {
            calls.open();
            calls.refused();
            calls.refused();

            CallRejected refusal = new CallRejected(START, "circuit-breaker", "payments", "rejected");
            assertThat(calls.events.subList(1, calls.events.size())).containsExactly(refusal, refusal);
        }

        @Test
        void tellNothingOfCallsThatPass() throws Throwable {
            calls.succeed();
            calls.fail();

            assertThat(calls.events).isEmpty();
        }

        @Test
        void mayBeListenedToByOneThatCallsAndThrows() throws Throwable {
            ManualTimeSource time = new ManualTimeSource();
            EventPublisher events = new EventPublisher();
            CircuitBreaker breaker = new CircuitBreaker(
                    "payments",
                    TestBreaker.consecutive(1).build(),
                    new Environment(time, events, FaultClassification.ofJdk(), ContextCarrier.standard()));
            events.add(event -> {
                if (event instanceof CircuitStateChanged changed && changed.to() == CircuitState.OPEN) {
                    breaker.close();
                }
                throw new IllegalStateException("broken listener");
            });

            mode.call(Pipeline.of(breaker), () -> "ok");
            Pipeline.of(breaker).callAsync(() -> {
                throw new IllegalStateException("down");
            });

            assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);
            assertThat(breaker.calls().total()).isEqualTo(2);
        }
    }

    @Test
    void belongToABreakerThatKnowsItsNameAndPolicy() {
        CircuitBreaker breaker = Resilience.create().circuitBreaker("payments", CircuitBreakerPolicy.defaults());

        assertThat(breaker.name()).isEqualTo("payments");
        assertThat(breaker.policy()).isEqualTo(CircuitBreakerPolicy.defaults());
        assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);
        assertThat(breaker.calls().total()).isZero();
        assertThat(breaker.failureRate()).isNaN();
    }
}
