package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What each event does in each state, of a breaker that one failure or slow call opens, and one success closes. */
@ParameterizedClass
@EnumSource(CallMode.class)
class StateTableTests {

    private static final Duration OPEN = Duration.ofSeconds(30);
    private static final Duration SLOW = Duration.ofSeconds(2);
    private static final CircuitBreakerPolicy POLICY = TestBreaker.consecutive(1)
            .openDuration(OPEN)
            .minimumCalls(1)
            .window(new Window(Window.Type.COUNT, OPEN, 1))
            .slowCallDuration(SLOW)
            .recordOnResult("bad"::equals)
            .halfOpen(new HalfOpen(1, 1, OPEN))
            .build();

    private final TestBreaker calls;

    StateTableTests(CallMode mode) {
        this.calls = new TestBreaker(mode, POLICY);
    }

    /** The states in which each state is left by a call; that in brackets refuses it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            success                | CLOSED | (OPEN) | CLOSED    | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            failure                | OPEN   | (OPEN) | OPEN      | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            bad result             | OPEN   | (OPEN) | OPEN      | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            slow success           | OPEN   | (OPEN) | OPEN      | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            slow failure           | OPEN   | (OPEN) | OPEN      | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            slow ignored           | CLOSED | (OPEN) | HALF_OPEN | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            ignored                | CLOSED | (OPEN) | HALF_OPEN | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            success after its time | OPEN   | (OPEN) | HALF_OPEN | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            failure after its time | OPEN   | (OPEN) | HALF_OPEN | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            success, period over   | CLOSED | CLOSED | CLOSED    | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            failure, period over   | OPEN   | OPEN   | OPEN      | (FORCED_OPEN) | DISABLED | METRICS_ONLY
            """)
    void aCall(
            String event,
            String closed,
            String open,
            String halfOpen,
            String forcedOpen,
            String disabled,
            String metricsOnly)
            throws Throwable {
        List<String> expected = List.of(closed, open, halfOpen, forcedOpen, disabled, metricsOnly);
        CircuitState[] states = CircuitState.values();
        for (int i = 0; i < states.length; i++) {
            enter(states[i]);

            boolean refused = call(event);

            String found = refused ? "(" + calls.breaker.currentState() + ")" : "" + calls.breaker.currentState();
            assertThat(found).as("%s in %s", event, states[i]).isEqualTo(expected.get(i));
        }
    }

    @ParameterizedTest
    @MethodSource
    void anActionAlwaysLeadsToItsState(CircuitState from, CircuitState to) {
        enter(from);
        long before = calls.breaker.transitions(from, to);

        enter(to);

        calls.assertIs(to);
        assertThat(calls.breaker.transitions(from, to)).isEqualTo(from == to ? 0 : before + 1);
    }

    static Stream<Arguments> anActionAlwaysLeadsToItsState() {
        return Stream.of(CircuitState.values())
                .flatMap(from -> Stream.of(CircuitState.values()).map(to -> Arguments.of(from, to)));
    }

    private void enter(CircuitState state) {
        switch (state) {
            case CLOSED -> calls.breaker.close();
            case OPEN -> calls.breaker.open();
            case HALF_OPEN -> calls.breaker.halfOpen();
            case FORCED_OPEN -> calls.breaker.forceOpen();
            case DISABLED -> calls.breaker.disable();
            case METRICS_ONLY -> calls.breaker.metricsOnly();
        }
    }

    /** Whether it was refused. */
    private boolean call(String event) throws Throwable {
        calls.time.advance(event.endsWith("period over") ? OPEN : Duration.ZERO);
        Exception failure = event.contains("failure")
                ? TestBreaker.down()
                : event.contains("ignored") ? new IllegalArgumentException("ignored") : null;
        boolean[] made = new boolean[1];
        try {
            calls.call(() -> {
                made[0] = true;
                Duration lasts = event.contains("slow") ? SLOW.plusNanos(1) : Duration.ZERO;
                calls.time.advance(event.endsWith("after its time") ? OPEN : lasts);
                if (failure != null) {
                    throw failure;
                }
                return event.equals("bad result") ? "bad" : "ok";
            });
        } catch (Exception thrown) {
            assertThat(made[0] ? thrown : null).isSameAs(failure == null || !made[0] ? null : failure);
        }
        return !made[0];
    }
}
