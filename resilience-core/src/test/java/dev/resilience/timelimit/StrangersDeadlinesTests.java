package dev.resilience.timelimit;

import static dev.resilience.timelimit.TestTimeLimit.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TestTimeLimit.Call;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers who leave little time decide nothing about the circuit breaker that others share with them. */
@Timeout(60)
class StrangersDeadlinesTests {

    private static final Duration LITTLE = Duration.ofSeconds(1);

    private final ManualTimeSource time = new ManualTimeSource();
    private final CircuitBreaker breaker = new CircuitBreaker(
            "orders", CircuitBreakerPolicy.builder().failureThreshold(2).build(), Environment.of(time));

    private Pipeline withOneWorkerAnd(RunsOn thread) {
        TimeLimitPolicy policy = new TimeLimitPolicy(TIMEOUT, thread, 1);
        return Pipeline.of(breaker, new TimeLimit("orders", policy, Environment.of(time), 1, false));
    }

    @Test
    void aCallThatWaitedForAWorkerAllItsTimeSaysNothingOfTheCallee() {
        Pipeline pipeline = withOneWorkerAnd(RunsOn.WORKER);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch latch = new CountDownLatch(1);
        Call stranger = TestTimeLimit.startThread(() -> Deadline.in(LITTLE, time)
                .call(() -> pipeline.call(() -> {
                    begun.countDown();
                    TestTimeLimit.deaf(latch);
                    return "too late";
                })));
        TestTimeLimit.deaf(begun);
        time.advance(LITTLE);
        assertThat(stranger.end().failure()).isInstanceOf(TimeLimitExceededException.class);

        List<CompletableFuture<String>> others = new ArrayList<>();
        for (int call = 0; call < 3; call++) {
            others.add(pipeline.callAsync(CompletableFuture::new));
        }
        time.advance(TIMEOUT);

        assertThat(others)
                .allSatisfy(answer -> assertThat(failureOf(answer))
                        .hasMessageEndingWith("no worker thread became free within 5 s")
                        .isInstanceOfSatisfying(TimeLimitExceededException.class, failure -> {
                            assertThat(failure.isAboutCallee()).isFalse();
                        }));
        assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);
        assertThat(breaker.calls().get(CircuitBreakerOutcome.IGNORED)).isEqualTo(4);
        latch.countDown();
    }

    @Test
    void aProbeThatACallersDeadlineCutsShortDecidesNothingAndGivesItsPlaceBack() throws Exception {
        Pipeline pipeline = withOneWorkerAnd(RunsOn.CALLER);
        List<CompletableFuture<String>> strangers = new ArrayList<>();
        breaker.halfOpen();

        for (int call = 0; call < 3; call++) {
            new CallContext(Deadline.in(LITTLE, time), null)
                    .run(() -> strangers.add(pipeline.callAsync(CompletableFuture::new)));
            time.advance(LITTLE);
        }

        assertThat(strangers)
                .allSatisfy(answer -> assertThat(failureOf(answer)).isInstanceOf(TimeLimitExceededException.class));
        assertThat(breaker.currentState()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(Objects.requireNonNull(breaker.status().probing()).inFlight())
                .isZero();
        assertThat(breaker.status().probing().succeeded()).isZero();

        assertThat(pipeline.<String, Exception>call(() -> "ok")).isEqualTo("ok");
        assertThat(pipeline.<String, Exception>call(() -> "ok")).isEqualTo("ok");
        assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);
    }

    private static Throwable failureOf(CompletableFuture<String> answer) {
        TestTimeLimit.soon(answer::isDone);
        return Objects.requireNonNull(
                answer.handle((result, failure) -> failure).join());
    }
}
