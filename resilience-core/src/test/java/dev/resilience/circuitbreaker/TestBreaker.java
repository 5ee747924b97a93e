package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.Assertions;

/** A circuit breaker on manual time, and short words for calls through it. */
final class TestBreaker {

    final ManualTimeSource time = new ManualTimeSource();
    final List<ResilienceEvent> events = Collections.synchronizedList(new ArrayList<>());
    final CircuitBreaker breaker;
    private final Pipeline pipeline;
    private final CallMode mode;

    TestBreaker(CallMode mode, CircuitBreakerPolicy policy) {
        this(mode, policy, FaultClassification.ofJdk());
    }

    TestBreaker(CallMode mode, CircuitBreakerPolicy policy, FaultClassification faults) {
        EventPublisher heard = new EventPublisher();
        heard.add(events::add);
        this.breaker =
                new CircuitBreaker("payments", policy, new Environment(time, heard, faults, ContextCarrier.standard()));
        this.pipeline = Pipeline.of(breaker);
        this.mode = mode;
    }

    /** A policy under which so many failures in a row open, and nothing else does; each open period is as long as the first. */
    static CircuitBreakerPolicy.Builder consecutive(int failures) {
        return CircuitBreakerPolicy.builder()
                .failureThreshold(failures)
                .failureRateThreshold(0)
                .openDurationMultiplier(1);
    }

    /** What calls fail with where it does not matter. */
    static IllegalStateException down() {
        return new IllegalStateException("down");
    }

    <T> T call(Callable<T> body) throws Throwable {
        return mode.call(pipeline, body);
    }

    void succeed() throws Throwable {
        assertThat(call(() -> "ok")).isEqualTo("ok");
    }

    void succeed(int times) throws Throwable {
        for (int i = 0; i < times; i++) {
            succeed();
        }
    }

    void succeedAfter(Duration duration) throws Throwable {
        call(() -> {
            time.advance(duration);
            return "ok";
        });
    }

    void fail() {
        fail(down());
    }

    void fail(int times) {
        for (int i = 0; i < times; i++) {
            fail();
        }
    }

    void fail(Throwable failure) {
        Assertions.assertThatThrownBy(() -> call(() -> {
                    if (failure instanceof Error error) {
                        throw error;
                    }
                    throw (Exception) failure;
                }))
                .isSameAs(failure);
    }

    CircuitOpenException refused() {
        CircuitOpenException refused = catchThrowableOfType(
                CircuitOpenException.class,
                () -> call(() -> {
                    throw new AssertionError("The call was made");
                }));
        assertThat(refused).isNotNull();
        return refused;
    }

    /** Fails until it is open. */
    void open() {
        while (breaker.currentState() == CircuitState.CLOSED) {
            fail();
        }
        assertIs(CircuitState.OPEN);
    }

    /** Opens, and waits until the next call is a probe. */
    void openAndWait() {
        open();
        time.advance(breaker.policy().openDuration());
    }

    /** An asynchronous call that is under way. */
    InFlight start() {
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> answer = pipeline.callAsync(() -> body);
        assertThat(answer).isNotDone();
        return new InFlight(body, answer);
    }

    record InFlight(CompletableFuture<String> body, CompletableFuture<String> answer) {

        void succeed() {
            body.complete("ok");
            assertThat(answer).isCompletedWithValue("ok");
        }

        void fail() {
            body.completeExceptionally(new IllegalStateException("down"));
            assertThat(answer).isCompletedExceptionally();
        }

        void cancel() {
            answer.cancel(true);
            assertThat(body).isCancelled();
        }
    }

    void assertIs(CircuitState state) {
        assertThat(breaker.currentState()).isEqualTo(state);
    }

    void assertCounted(long successes, long failures, long ignored, long rejected) {
        assertThat(new long[] {
                    counted(CircuitBreakerOutcome.SUCCESS),
                    counted(CircuitBreakerOutcome.FAILURE),
                    counted(CircuitBreakerOutcome.IGNORED),
                    counted(CircuitBreakerOutcome.REJECTED)
                })
                .as("successes, failures, ignored, rejected")
                .containsExactly(successes, failures, ignored, rejected);
    }

    private long counted(CircuitBreakerOutcome outcome) {
        return breaker.calls().get(outcome);
    }
}
