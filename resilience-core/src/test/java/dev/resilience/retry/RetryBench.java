package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.EventPublisher;
import dev.resilience.event.RetryOutcome;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.FaultClassifier;
import dev.resilience.fault.HttpFailure;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a test of the retry needs: manual time, a method that follows a script, and a note of when it was called. */
final class RetryBench {

    static final String NAME = "orders";

    final ManualTimeSource time = new ManualTimeSource();
    final EventPublisher events = new EventPublisher();
    final List<Duration> attempts = new ArrayList<>();

    @Nullable
    RetryBudget budget;

    @Nullable
    Predicate<@Nullable Object> retryOnResult;

    @Nullable
    Predicate<? super Throwable> retryIf;

    @Nullable
    BackoffFunction backoff;

    FaultClassification faults = classification(failure -> Fault.UNKNOWN);

    private final CallStyle style;

    RetryBench(CallStyle style) {
        this.style = style;
    }

    /** Finds the answer in an {@link HttpError}. */
    static FaultClassification classification(FaultClassifier custom) {
        return new FaultClassification(custom, List.of(), List.of(RetryBench::read));
    }

    /** Three attempts, exactly one second apart. */
    static RetryPolicy.Builder policy() {
        return RetryPolicy.builder().backoff(fixed(Duration.ofSeconds(1)));
    }

    static Backoff fixed(Duration delay) {
        return new Backoff(Backoff.Strategy.FIXED, delay, 1, Duration.ofDays(365), Jitter.NONE, 0);
    }

    Retry retry(RetryPolicy.Builder policy) {
        policy.retryOnResult(retryOnResult).retryIf(retryIf);
        if (backoff != null) {
            Backoff waits = policy.build().backoff();
            policy.backoff(new Backoff(
                    waits.strategy(),
                    waits.baseDelay(),
                    waits.multiplier(),
                    waits.maxDelay(),
                    waits.jitter(),
                    waits.jitterFactor(),
                    backoff));
        }
        return RetryBuilder.retry(NAME, policy.build())
                .faults(faults)
                .timeSource(time)
                .events(events)
                .budget(budget)
                .build();
    }

    /** Calls a method whose attempts end one after the other as the script says. */
    @Nullable
    Object call(Layer retry, Invocation... script) throws Throwable {
        return style.call(Pipeline.of(retry), time, following(script));
    }

    Invocation following(Invocation... script) {
        Iterator<Invocation> next = List.of(script).iterator();
        return () -> {
            attempts.add(time.elapsed());
            assertThat(next.hasNext())
                    .as("attempt %s of a script of %s", attempts.size(), script.length)
                    .isTrue();
            return next.next().proceed();
        };
    }

    static Invocation fails(Throwable failure) {
        return () -> {
            throw failure;
        };
    }

    static Invocation returns(@Nullable Object result) {
        return () -> result;
    }

    /** Checks that one call was counted, once. */
    static void assertCounted(Retry retry, RetryOutcome outcome) {
        assertThat(counted(retry)).isEqualTo(Map.of(outcome, 1L));
    }

    /** What was counted, without the zeroes. */
    static Map<RetryOutcome, Long> counted(Retry retry) {
        Map<RetryOutcome, Long> counted = new EnumMap<>(RetryOutcome.class);
        for (RetryOutcome outcome : RetryOutcome.values()) {
            if (retry.calls().get(outcome) > 0) {
                counted.put(outcome, retry.calls().get(outcome));
            }
        }
        return counted;
    }

    static Duration[] seconds(double... seconds) {
        Duration[] durations = new Duration[seconds.length];
        for (int i = 0; i < seconds.length; i++) {
            durations[i] = Duration.ofNanos((long) (seconds[i] * 1e9));
        }
        return durations;
    }

    private static @Nullable HttpFailure read(Throwable failure) {
        return failure instanceof HttpError error
                ? new HttpFailure(error.status, error.retryAfter, error.retryRefused ? HttpFailure.RETRY_REFUSED : null)
                : null;
    }

    /** The exception of some HTTP client. */
    static final class HttpError extends Exception {

        private final int status;
        private final @Nullable String retryAfter;
        private final boolean retryRefused;

        HttpError(int status, @Nullable String retryAfter) {
            this(status, retryAfter, false);
        }

        HttpError(int status, @Nullable String retryAfter, boolean retryRefused) {
            super("HTTP " + status);
            this.status = status;
            this.retryAfter = retryAfter;
            this.retryRefused = retryRefused;
        }
    }
}
