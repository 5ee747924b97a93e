package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.circuitbreaker.ReferenceBreaker.Call;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.Way;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Long random histories of calls, clock steps and operators, against the {@link ReferenceBreaker}. */
@ExtendWith(WithoutLog.class)
class RandomHistoryTests {

    private static final int STEPS = 35_000;
    private static final Duration OPEN = Duration.ofSeconds(10);
    private static final Duration SLOW = Duration.ofSeconds(2);
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(5);

    @ParameterizedTest(name = "{0}, seed {2}")
    @MethodSource("policies")
    void goesAsTheReferenceGoes(String name, CircuitBreakerPolicy policy, long seed) {
        History history = new History(policy, new Random(seed));

        for (int step = 0; step < STEPS; step++) {
            history.step();
            history.compare(step);
        }

        history.assertNothingWasLeftOut();
    }

    static Stream<Arguments> policies() {
        HalfOpen halfOpen = new HalfOpen(3, 4, PROBE_TIMEOUT);
        CircuitBreakerPolicy.Builder consecutive = TestBreaker.consecutive(4)
                .openDurationMultiplier(2)
                .maxOpenDuration(Duration.ofSeconds(45))
                .openDuration(OPEN)
                .halfOpen(halfOpen);
        CircuitBreakerPolicy.Builder rates = CircuitBreakerPolicy.builder()
                .failureThreshold(0)
                .minimumCalls(8)
                .slowCallDuration(SLOW)
                .slowCallRateThreshold(0.6)
                .openDuration(OPEN)
                .halfOpen(new HalfOpen(2, 2, PROBE_TIMEOUT));
        CircuitBreakerPolicy ofCalls =
                rates.window(new Window(Window.Type.COUNT, OPEN, 20)).build();
        CircuitBreakerPolicy ofTime = rates.window(new Window(Window.Type.TIME, Duration.ofSeconds(40), 8))
                .build();
        return Stream.of(
                Arguments.of("consecutive failures", consecutive.build(), 1),
                Arguments.of("consecutive failures", consecutive.build(), 2),
                Arguments.of("rates over a number of calls", ofCalls, 3),
                Arguments.of("rates over a number of calls", ofCalls, 4),
                Arguments.of("rates over a time", ofTime, 5),
                Arguments.of("rates over a time", ofTime, 6));
    }

    private static final class History {

        private final Random random;
        private final TestBreaker real;
        private final Pipeline pipeline;
        private final ReferenceBreaker reference;
        private final List<UnderWay> underWay = new ArrayList<>();

        History(CircuitBreakerPolicy policy, Random random) {
            this.random = random;
            this.real = new TestBreaker(Way.BLOCKING, policy);
            this.pipeline = Pipeline.of(real.breaker);
            this.reference = new ReferenceBreaker(policy, real.time.nanoTime());
        }

        private record UnderWay(CompletableFuture<String> body, CompletableFuture<String> answer, Call call) {}

        void step() {
            int action = random.nextInt(1000);
            if (action < 2) {
                operate();
            } else if (action < 150) {
                real.time.advance(clockStep());
            } else if (underWay.isEmpty() || (underWay.size() < 12 && random.nextInt(100) < 50)) {
                start();
            } else {
                end(underWay.remove(random.nextInt(underWay.size())));
            }
        }

        private void start() {
            CompletableFuture<String> body = new CompletableFuture<>();
            Call expected = reference.admit(now());
            CompletableFuture<String> answer = pipeline.callAsync(() -> body);
            if (expected != null) {
                assertThat(answer).isNotDone();
                underWay.add(new UnderWay(body, answer, expected));
            } else {
                assertThat(refusal(answer).retryAfter()).isEqualTo(expectedRetryAfter());
            }
        }

        private Duration expectedRetryAfter() {
            return switch (reference.state()) {
                case OPEN -> Duration.ofNanos(Math.max(1_000_000, reference.openNanosLeft(now())));
                case FORCED_OPEN -> OPEN;
                default -> Duration.ofSeconds(1);
            };
        }

        private static CircuitOpenException refusal(CompletableFuture<String> answer) {
            Throwable refusal = answer.handle((result, failure) -> failure).join();
            return (CircuitOpenException) refusal;
        }

        /** Long phases in which the callee is well or ill. */
        private void end(UnderWay call) {
            boolean ill = now() / Duration.ofMinutes(3).toNanos() % 2 == 1;
            int how = random.nextInt(100);
            if (how < 6) {
                reference.end(call.call, CircuitBreakerOutcome.IGNORED, now());
                call.body.completeExceptionally(new IllegalArgumentException("permanent"));
            } else if (how < 12) {
                reference.end(call.call, CircuitBreakerOutcome.IGNORED, now());
                call.answer.cancel(true);
            } else if (how < (ill ? 70 : 30)) {
                reference.end(call.call, CircuitBreakerOutcome.FAILURE, now());
                call.body.completeExceptionally(new IllegalStateException("down"));
            } else {
                reference.end(call.call, CircuitBreakerOutcome.SUCCESS, now());
                call.body.complete("ok");
            }
            assertThat(call.answer).isDone();
        }

        private void operate() {
            switch (random.nextInt(4)) {
                case 0 -> {
                    real.breaker.forceOpen();
                    reference.become(CircuitState.FORCED_OPEN, now());
                }
                case 1 -> {
                    real.breaker.disable();
                    reference.become(CircuitState.DISABLED, now());
                }
                default -> {
                    real.breaker.close();
                    reference.become(CircuitState.CLOSED, now());
                }
            }
        }

        /** Short steps, and steps that end just before, at and after a limit. */
        private Duration clockStep() {
            Duration[] limits = {OPEN, SLOW, PROBE_TIMEOUT, Duration.ofSeconds(40)};
            if (random.nextInt(10) < 7) {
                return Duration.ofMillis(random.nextInt(1500));
            }
            return limits[random.nextInt(limits.length)].plusNanos(random.nextInt(3) - 1);
        }

        private long now() {
            return real.time.nanoTime();
        }

        void compare(int step) {
            boolean same = real.breaker.currentState() == reference.state()
                    && real.breaker.slowCalls() == reference.slowCalls()
                    && Double.compare(real.breaker.failureRate(), reference.failureRate(now())) == 0;
            for (CircuitBreakerOutcome outcome : CircuitBreakerOutcome.values()) {
                same &= real.breaker.calls().get(outcome) == reference.calls().get(outcome);
            }
            if (!same) {
                throw new AssertionError("After step %d: state %s, rate %s, expected %s, %s, %s"
                        .formatted(
                                step,
                                real.breaker.currentState(),
                                real.breaker.failureRate(),
                                reference.state(),
                                reference.failureRate(now()),
                                reference.calls()));
            }
        }

        void assertNothingWasLeftOut() {
            for (CircuitState from : CircuitState.values()) {
                for (CircuitState to : CircuitState.values()) {
                    assertThat(real.breaker.transitions(from, to))
                            .as("%s to %s", from, to)
                            .isEqualTo(reference.transitions(from, to));
                }
            }
            assertThat(reference.transitions(CircuitState.CLOSED, CircuitState.OPEN))
                    .isGreaterThan(10);
            assertThat(reference.transitions(CircuitState.HALF_OPEN, CircuitState.OPEN))
                    .isGreaterThan(10);
            assertThat(reference.transitions(CircuitState.HALF_OPEN, CircuitState.CLOSED))
                    .isGreaterThan(10);
        }
    }
}
