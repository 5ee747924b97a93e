package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.TimeLimitExceededException;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Policies put together from the values at which something changes: 0 and 1, one call, one place, off. */
final class RandomPolicies {

    private static final List<Class<? extends Throwable>> NONE = List.of();

    private final Random random;

    RandomPolicies(Random random) {
        this.random = random;
    }

    CircuitBreakerPolicy next() {
        Window window = oneOf(count(1), count(2), count(7), count(20), count(60), time(5), time(40));
        return next(CircuitBreakerPolicy.builder()
                .failureThreshold(oneOf(0, 1, 2, 3, 5))
                .failureRateThreshold(oneOf(0.0, 0.01, 0.5, 0.5, 1.0))
                .window(window)
                .minimumCalls(window.type() == Window.Type.TIME ? oneOf(1, 8, 30) : 1 + random.nextInt(window.size()))
                .slowCallDuration(random.nextInt(3) == 0 ? null : oneOf(Duration.ofSeconds(2), Duration.ofNanos(1)))
                .slowCallRateThreshold(oneOf(0.0, 0.6, 1.0)));
    }

    /** One that opens by the same calls, and is another one else. */
    CircuitBreakerPolicy nextThatOpensAs(CircuitBreakerPolicy like) {
        return next(CircuitBreakerPolicy.builder()
                .failureThreshold(like.failureThreshold())
                .failureRateThreshold(like.failureRateThreshold())
                .window(like.window())
                .minimumCalls(like.minimumCalls())
                .slowCallDuration(like.slowCallDuration())
                .slowCallRateThreshold(like.slowCallRateThreshold()));
    }

    private CircuitBreakerPolicy next(CircuitBreakerPolicy.Builder opening) {
        double multiplier = oneOf(1.0, 1.0, 1.5, 2.0, 3.0);
        return opening.openDuration(Duration.ofSeconds(10))
                .openDurationMultiplier(multiplier)
                .maxOpenDuration(Duration.ofSeconds(multiplier > 1 ? oneOf(10, 45, 300) : oneOf(10, 45)))
                .ramp(oneOf(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(3), Duration.ofSeconds(20)))
                .halfOpen(new HalfOpen(oneOf(1, 1, 2, 3), oneOf(1, 2, 4), Duration.ofSeconds(oneOf(1, 5, 20))))
                .recordOn(oneOf(
                        NONE,
                        NONE,
                        List.of(IllegalArgumentException.class),
                        List.of(AssertionError.class, BulkheadFullException.class, InterruptedException.class)))
                .ignoreOn(oneOf(
                        NONE, NONE, List.of(IllegalArgumentException.class), List.of(TimeLimitExceededException.class)))
                .recordOnResult(random.nextBoolean() ? null : oneOf("bad"::equals, RandomPolicies::broken))
                .initialState(oneOf(
                        CircuitState.CLOSED,
                        CircuitState.CLOSED,
                        CircuitState.OPEN,
                        CircuitState.FORCED_OPEN,
                        CircuitState.DISABLED,
                        CircuitState.METRICS_ONLY))
                .build();
    }

    private static boolean broken(Object result) {
        throw new IllegalStateException("broken rule");
    }

    private static Window count(int size) {
        return new Window(Window.Type.COUNT, Duration.ofSeconds(10), size);
    }

    private static Window time(int seconds) {
        return new Window(Window.Type.TIME, Duration.ofSeconds(seconds), 1);
    }

    @SafeVarargs
    private <T> T oneOf(T... values) {
        return values[random.nextInt(values.length)];
    }
}
