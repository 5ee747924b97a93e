package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.TimeLimitExceededException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** How a call may end, and what a circuit breaker should make of it. */
enum Ending {
    SUCCESS("ok", null, CircuitBreakerOutcome.SUCCESS),
    BAD_RESULT("bad", null, CircuitBreakerOutcome.SUCCESS),
    FAILURE(new IllegalStateException("down"), CircuitBreakerOutcome.FAILURE),
    TIMEOUT(new TimeLimitExceededException("inner", "too slow", null), CircuitBreakerOutcome.FAILURE),
    PERMANENT_FAULT(new IllegalArgumentException("permanent"), CircuitBreakerOutcome.IGNORED),
    REFUSAL_BY_AN_INNER_LAYER(new BulkheadFullException("inner", "full"), CircuitBreakerOutcome.IGNORED),
    ERROR(new AssertionError("broken"), CircuitBreakerOutcome.IGNORED),
    INTERRUPT(new InterruptedException(), CircuitBreakerOutcome.IGNORED),
    /** By the caller, who cancels or knows the answer: no exception of the call's own, and no list matches it. */
    CANCELLATION(null, CircuitBreakerOutcome.IGNORED);

    @SuppressWarnings("ImmutableEnumChecker") // always the same instance, by which it is known again; nobody changes it
    final @Nullable Throwable failure;

    final @Nullable String result;

    private final CircuitBreakerOutcome byDefault;

    Ending(@Nullable Throwable failure, CircuitBreakerOutcome byDefault) {
        this(null, failure, byDefault);
    }

    Ending(@Nullable String result, @Nullable Throwable failure, CircuitBreakerOutcome byDefault) {
        this.result = result;
        this.failure = failure;
        this.byDefault = byDefault;
    }

    /** By the policy's lists, which name the very classes of these failures, and its rule for results. */
    CircuitBreakerOutcome under(CircuitBreakerPolicy policy) {
        if (failure == null) {
            return isBad(policy.recordOnResult()) ? CircuitBreakerOutcome.FAILURE : byDefault;
        }
        if (policy.ignoreOn().contains(failure.getClass())) {
            return CircuitBreakerOutcome.IGNORED;
        }
        return policy.recordOn().contains(failure.getClass()) ? CircuitBreakerOutcome.FAILURE : byDefault;
    }

    private boolean isBad(@Nullable Predicate<@Nullable Object> rule) {
        try {
            return result != null && rule != null && rule.test(result);
        } catch (IllegalStateException broken) {
            return false;
        }
    }
}
