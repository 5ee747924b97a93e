package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a breaker tells an operator; {@link RandomHistoryTests} holds it against the reference in every situation. */
@ParameterizedClass
@EnumSource(CallMode.class)
class CircuitBreakerStatusTests {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final CallMode mode;
    private TestBreaker calls;

    CircuitBreakerStatusTests(CallMode mode) {
        this.mode = mode;
        this.calls = new TestBreaker(mode, TestBreaker.consecutive(5).build());
    }

    private CircuitBreakerStatus status() {
        return calls.breaker.status();
    }

    private void under(CircuitBreakerPolicy.Builder policy) {
        calls = new TestBreaker(mode, policy.build());
    }

    @Nested
    class TheReason {

        @Test
        void isAbsentBeforeItOpens() {
            calls.fail(4);

            assertThat(status().reason()).isNull();
            assertThat(status().lastFailure()).isNull();
            assertThat(status().openedAt()).isNull();
        }

        @Test
        void isTheNumberOfFailuresInARow() {
            calls.fail(4);
            calls.fail(new ConnectException("secret"));

            assertThat(status().reason()).isEqualTo("5 calls in a row failed");
            assertThat(status().lastFailure()).isEqualTo("java.net.ConnectException: secret");
        }

        @Test
        void isTheShareOfFailuresInAWindowOfTime() throws Throwable {
            under(CircuitBreakerPolicy.builder().failureThreshold(0).minimumCalls(230));
            calls.succeed(110);

            calls.fail(120);

            assertThat(status().reason()).isEqualTo("52% of 230 calls in the last 60 s failed");
        }

        @Test
        void isTheShareOfFailuresInAWindowOfCalls() throws Throwable {
            under(CircuitBreakerPolicy.builder()
                    .failureThreshold(0)
                    .failureRateThreshold(0.015)
                    .minimumCalls(60)
                    .window(new Window(Window.Type.COUNT, Duration.ofSeconds(1), 60)));
            calls.fail();

            calls.succeed(59);

            assertThat(status().reason()).isEqualTo("1.6% of the last 60 calls failed");
            assertThat(status().lastFailure())
                    .as("the last failure, though a success opened it")
                    .isEqualTo("java.lang.IllegalStateException");
        }

        @Test
        void isTheShareOfSlowCalls() throws Throwable {
            under(CircuitBreakerPolicy.builder()
                    .slowCallDuration(Duration.ofMillis(1250))
                    .slowCallRateThreshold(0.8)
                    .minimumCalls(5));
            calls.succeed();
            for (int i = 0; i < 4; i++) {
                calls.succeedAfter(Duration.ofSeconds(2));
            }

            assertThat(status().reason()).isEqualTo("80% of 5 calls in the last 60 s took longer than 1.25 s");
            assertThat(status().lastFailure()).isNull();
        }

        @Test
        void isTheProbeThatFailedAndWhatCameBefore() {
            calls.openAndWait();
            calls.fail(new ConnectException());
            calls.time.advance(Duration.ofSeconds(30));
            calls.fail(new UncheckedIOException(new ConnectException()));

            assertThat(status().reason()).isEqualTo("a probe failed (probing 2); before that: 5 calls in a row failed");
            assertThat(status().lastFailure())
                    .isEqualTo("java.io.UncheckedIOException: java.net.ConnectException, caused by "
                            + "java.net.ConnectException");
            assertThat(status().failedProbes()).isEqualTo(2);
            assertThat(status().openedAt()).isEqualTo(START);
            assertThat(status().since()).isEqualTo(START.plusSeconds(60));
        }

        @Test
        void isAnOperator() {
            calls.breaker.open();
            assertThat(status().reason()).isEqualTo("opened by hand");

            calls.breaker.forceOpen();
            assertThat(status().reason()).isEqualTo("forced open by hand");
        }

        @Test
        void staysAfterItHasClosedUntilItIsReset() throws Throwable {
            calls.openAndWait();
            calls.succeed(2);

            assertThat(status().state()).isEqualTo(CircuitState.CLOSED);
            assertThat(status().reason()).isEqualTo("5 calls in a row failed");
            assertThat(status().lastFailure()).isEqualTo("java.lang.IllegalStateException: down");
            assertThat(status().openedAt()).isEqualTo(START);
            assertThat(status().since()).isEqualTo(START.plusSeconds(30));

            calls.breaker.reset();
            assertThat(status().reason()).isNull();
            assertThat(status().lastFailure()).isNull();
        }
    }

    @Nested
    class TheNextProbe {

        @Test
        void isAnOpenPeriodAfterTheStart() {
            calls.open();

            assertThat(status().since()).isEqualTo(START);
            assertThat(status().nextProbe()).isEqualTo(START.plusSeconds(30));
            assertThat(status().probeDue()).isFalse();
        }

        @Test
        void isDueWhenTheOpenPeriodIsOver() {
            calls.openAndWait();

            assertThat(status().state()).isEqualTo(CircuitState.OPEN);
            assertThat(status().probeDue()).isTrue();
            assertThat(status().nextProbe()).isEqualTo(calls.time.now());
        }

        @Test
        void movesWithTheNewPolicyAndTheStartDoesNot() {
            calls.open();
            calls.time.advance(Duration.ofSeconds(10));

            calls.breaker.reconfigure(TestBreaker.consecutive(1)
                    .openDuration(Duration.ofMinutes(1))
                    .build());

            assertThat(status().since()).isEqualTo(START);
            assertThat(status().nextProbe()).isEqualTo(START.plusSeconds(60));
            assertThat(status().reason()).isEqualTo("5 calls in a row failed");
        }

        @Test
        void isNoMatterOfTimeInOtherStates() throws Throwable {
            calls.openAndWait();
            calls.succeed();
            assertThat(status().nextProbe()).isNull();

            calls.breaker.forceOpen();
            assertThat(status().nextProbe()).isNull();
            assertThat(status().probeDue()).isFalse();
        }
    }

    @Test
    void aProbingShowsItsProbes() throws Throwable {
        under(TestBreaker.consecutive(1).halfOpen(new HalfOpen(2, 3, Duration.ofSeconds(10))));
        calls.openAndWait();
        calls.succeed();
        calls.start();

        assertThat(status().probing()).isEqualTo(new CircuitBreakerStatus.Probing(1, 2, 1, 3));

        calls.time.advance(Duration.ofSeconds(10));
        assertThat(status().probing())
                .as("the probe is late, and its place free")
                .isEqualTo(new CircuitBreakerStatus.Probing(0, 2, 1, 3));
    }

    @Test
    void callsThatAreRefusedAreCountedFromTheOpening() throws Throwable {
        calls.open();
        calls.refused();
        calls.time.advance(Duration.ofSeconds(30));
        calls.succeed(2);
        assertThat(status().refused()).isZero();

        calls.open();
        calls.refused();
        calls.refused();

        assertThat(status().refused()).isEqualTo(2);
    }

    @Nested
    class TheFailureRate {

        @Test
        void isThereFromTheFirstCallOn() throws Throwable {
            under(CircuitBreakerPolicy.builder());
            assertThat(status().failureRate()).isNaN();

            calls.succeed();
            calls.fail();

            assertThat(status().failureRate()).isEqualTo(0.5);
            assertThat(status().windowCalls()).isEqualTo(2);
            assertThat(calls.breaker.failureRate())
                    .as("the meter needs the minimum of calls")
                    .isNaN();
        }

        @Test
        void isTheOneThatOpenedItWhileItIsOpen() throws Throwable {
            under(CircuitBreakerPolicy.builder().failureThreshold(3));
            calls.succeed();
            calls.open();
            calls.time.advance(Duration.ofMinutes(5));

            assertThat(status().failureRate()).isEqualTo(0.75);
            assertThat(status().windowCalls()).isEqualTo(4);
        }
    }
}
