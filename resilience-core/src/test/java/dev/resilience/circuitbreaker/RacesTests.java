package dev.resilience.circuitbreaker;

import static dev.resilience.circuitbreaker.TestBreaker.down;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What another thread does while one is in the middle of admitting a call or of ending one. */
class RacesTests {

    private static final Duration OPEN = Duration.ofSeconds(30);

    private final TimeWithRaces time = new TimeWithRaces();

    private CircuitBreaker probing(int maxConcurrent, int successThreshold) {
        CircuitBreaker breaker = breaker(maxConcurrent, successThreshold);
        breaker.admit().failed(0, down());
        time.manual.advance(OPEN);
        assertIs(breaker, CircuitState.OPEN);
        return breaker;
    }

    private CircuitBreaker breaker(int maxConcurrent, int successThreshold) {
        CircuitBreakerPolicy policy = CircuitBreakerPolicy.builder()
                .openDurationMultiplier(1)
                .failureThreshold(1)
                .openDuration(OPEN)
                .halfOpen(new HalfOpen(maxConcurrent, successThreshold, Duration.ofMinutes(1)))
                .build();
        return new CircuitBreaker("payments", policy, Environment.of(time));
    }

    private static void assertIs(CircuitBreaker breaker, CircuitState state) {
        assertThat(breaker.currentState()).isEqualTo(state);
    }

    private static @Nullable Permit tryAdmit(CircuitBreaker breaker) {
        try {
            return breaker.admit();
        } catch (CircuitOpenException refused) {
            return null;
        }
    }

    private static CircuitOpenException refusal(CircuitBreaker breaker) {
        CircuitOpenException refused = catchThrowableOfType(CircuitOpenException.class, breaker::admit);
        assertThat(refused).as("refusal").isNotNull();
        return refused;
    }

    /** Another call comes at each reading of the time, as long as there are any. */
    private List<Permit> admittedWhile(CircuitBreaker breaker, Runnable ending) {
        List<Permit> admitted = new ArrayList<>();
        Runnable another = new Runnable() {
            @Override
            public void run() {
                Permit permit = tryAdmit(breaker);
                if (permit != null) {
                    admitted.add(permit);
                }
                time.atNextReading(this);
            }
        };
        time.atNextReading(another);
        ending.run();
        assertThat(time.isOver()).isFalse();
        time.atNextReading(() -> {});
        assertThat(time.nanoTime()).isPositive();
        return admitted;
    }

    @Nested
    class AProbeThatDecides {

        @Test
        void keepsItsPlaceUntilItsFailureHasOpened() {
            CircuitBreaker breaker = probing(1, 2);
            Permit probe = breaker.admit();

            assertThat(admittedWhile(breaker, () -> probe.failed(0, down()))).isEmpty();

            assertIs(breaker, CircuitState.OPEN);
        }

        @Test
        void keepsItsPlaceUntilItsSuccessHasClosed() {
            CircuitBreaker breaker = probing(1, 1);
            Permit probe = breaker.admit();

            assertThat(admittedWhile(breaker, () -> probe.succeeded(0))).isEmpty();

            assertIs(breaker, CircuitState.CLOSED);
        }

        @Test
        void letsAPlaceThatWasFreeAnywayBeTakenUntilItHasOpened() {
            CircuitBreaker breaker = probing(2, 2);
            Permit probe = breaker.admit();

            List<Permit> admitted = admittedWhile(breaker, () -> probe.failed(0, down()));
            assertThat(admitted).hasSize(1);
            admitted.get(0).succeeded(0);

            assertIs(breaker, CircuitState.OPEN);
        }
    }

    @Nested
    class ACallThatComesDuringAProbing {

        @Test
        void isNotLetInByAProbingThatAnOperatorEndsMeanwhile() {
            CircuitBreaker breaker = probing(2, 2);
            breaker.admit();

            time.atNextReading(breaker::forceOpen);

            assertThat(refusal(breaker).retryAfter()).isEqualTo(OPEN);
            assertThat(breaker.calls().get(CircuitBreakerOutcome.REJECTED)).isEqualTo(1);
        }

        @Test
        void isNotLetInByAProbingThatFailsMeanwhile() {
            CircuitBreaker breaker = probing(2, 2);
            Permit probe = breaker.admit();

            time.atNextReading(() -> probe.failed(0, down()));

            assertThat(refusal(breaker).retryAfter()).isEqualTo(OPEN);
            assertIs(breaker, CircuitState.OPEN);
        }

        @Test
        void isLetInByTheClosedBreakerIfTheProbingSucceedsMeanwhile() {
            CircuitBreaker breaker = probing(2, 1);
            Permit probe = breaker.admit();

            time.atNextReading(() -> probe.succeeded(0));
            Permit permit = breaker.admit();

            assertIs(breaker, CircuitState.CLOSED);
            permit.failed(0, down());
            assertIs(breaker, CircuitState.OPEN);
        }

        @Test
        void holdsNoPlaceInTheProbingThatFollowed() {
            CircuitBreaker breaker = probing(1, 2);
            breaker.admit().succeeded(0);

            time.atNextReading(() -> {
                breaker.close();
                breaker.admit().failed(0, down());
                time.manual.advance(OPEN);
                assertThat(tryAdmit(breaker)).isNotNull();
            });

            assertThat(tryAdmit(breaker)).isNull();
            assertIs(breaker, CircuitState.HALF_OPEN);
        }
    }

    @Nested
    class ACallThatComesWhileItIsOpen {

        @Test
        void isLetInIfItIsClosedMeanwhile() {
            CircuitBreaker breaker = breaker(1, 1);
            breaker.admit().failed(0, down());

            time.atNextReading(breaker::close);

            assertThat(tryAdmit(breaker)).isNotNull();
            assertThat(breaker.calls().get(CircuitBreakerOutcome.REJECTED)).isZero();
        }

        @Test
        void isLetInIfItIsClosedJustAfterTheCallHasBegunTheProbing() {
            CircuitBreaker breaker = probing(1, 1);

            time.atReading(3, breaker::close);

            assertThat(tryAdmit(breaker)).isNotNull();
            assertIs(breaker, CircuitState.CLOSED);
            assertThat(breaker.transitions(CircuitState.HALF_OPEN, CircuitState.CLOSED))
                    .isEqualTo(1);
        }

        @Test
        void isRefusedForAsLongAsThePeriodThatBeganMeanwhileLasts() {
            CircuitBreaker breaker = probing(1, 1);

            time.atNextReading(() -> breaker.admit().failed(0, down()));

            assertThat(refusal(breaker).retryAfter()).isEqualTo(OPEN);
            assertThat(breaker.transitions(CircuitState.OPEN, CircuitState.HALF_OPEN))
                    .isEqualTo(1);
        }

        @Test
        void isToldAHintAboveZeroThoughThePeriodEndsMeanwhile() {
            CircuitBreaker breaker = breaker(1, 1);
            breaker.admit().failed(0, down());

            time.atReading(2, () -> time.manual.advance(OPEN.multipliedBy(2)));

            assertThat(refusal(breaker).retryAfter()).isPositive();
        }
    }

    @Nested
    class APolicyThatChanges {

        private final CircuitBreakerPolicy changed = TestBreaker.consecutive(2)
                .openDuration(Duration.ofMinutes(2))
                .initialState(CircuitState.FORCED_OPEN)
                .build();

        @Test
        void isNotUndoneByAFailureThatWasAboutToOpen() {
            CircuitBreaker breaker = breaker(1, 1);

            time.atNextReading(() -> breaker.reconfigure(changed));
            breaker.admit().failed(0, down());

            assertThat(time.isOver()).isTrue();
            assertThat(breaker.policy()).isSameAs(changed);
            assertIs(breaker, CircuitState.CLOSED);
            breaker.admit().failed(0, down());
            assertIs(breaker, CircuitState.CLOSED);
        }

        @Test
        void isNotUndoneByAProbeThatWasAboutToDecide() {
            CircuitBreaker breaker = probing(1, 1);
            Permit probe = breaker.admit();

            time.atReading(2, () -> breaker.reconfigure(changed));
            probe.failed(0, down());

            assertThat(time.isOver()).isTrue();
            assertThat(breaker.policy()).isSameAs(changed);
            assertIs(breaker, CircuitState.HALF_OPEN);
            assertThat(tryAdmit(breaker)).isNotNull();
        }

        @Test
        void isNotUndoneByACallThatWasAboutToProbe() {
            CircuitBreaker breaker = probing(1, 1);

            time.atNextReading(() -> breaker.reconfigure(changed));

            assertThat(refusal(breaker).retryAfter()).isEqualTo(Duration.ofSeconds(90));
            assertThat(breaker.policy()).isSameAs(changed);
            assertIs(breaker, CircuitState.OPEN);
        }

        @Test
        void isNotUndoneByAnOperatorAndHoldsForWhatTheOperatorWants() {
            CircuitBreaker breaker = breaker(1, 1);
            breaker.reconfigure(
                    TestBreaker.consecutive(1).initialState(CircuitState.OPEN).build());

            time.atNextReading(() -> breaker.reconfigure(changed));
            breaker.reset();

            assertThat(time.isOver()).isTrue();
            assertThat(breaker.policy()).isSameAs(changed);
            assertIs(breaker, CircuitState.FORCED_OPEN);
            assertThat(breaker.transitions(CircuitState.CLOSED, CircuitState.FORCED_OPEN))
                    .isEqualTo(1);
        }

        @Test
        void keepsATransitionThatCameFirst() {
            CircuitBreaker breaker = breaker(1, 1);
            Permit failing = breaker.admit();
            CircuitBreakerPolicy withAWindow =
                    CircuitBreakerPolicy.builder().failureThreshold(2).build();

            time.atNextReading(() -> failing.failed(0, down()));
            breaker.reconfigure(withAWindow);

            assertThat(time.isOver()).isTrue();
            assertThat(breaker.policy()).isSameAs(withAWindow);
            assertIs(breaker, CircuitState.OPEN);
            assertThat(breaker.transitions(CircuitState.CLOSED, CircuitState.OPEN))
                    .isEqualTo(1);
        }
    }
}
