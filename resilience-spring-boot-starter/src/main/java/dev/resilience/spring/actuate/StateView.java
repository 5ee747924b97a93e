package dev.resilience.spring.actuate;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.event.Outcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.retry.RetryStatus;
import dev.resilience.time.Timestamps;
import dev.resilience.timelimit.TimeLimit;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a live object shows of its policy and its state. */
final class StateView {

    private StateView() {}

    static Map<String, Object> policy(Object live) {
        if (live instanceof Retry retry) {
            Map<String, Object> view = PolicyView.of(retry.policy());
            view.put(
                    "budget",
                    retry.budget() == null
                            ? RetryPolicy.NO_BUDGET
                            : retry.budget().name());
            view.put("worstCaseWait", retry.policy().worstCaseWait().toString());
            return view;
        }
        if (live instanceof CircuitBreaker breaker) {
            return PolicyView.of(breaker.policy());
        }
        if (live instanceof Bulkhead bulkhead) {
            return PolicyView.of(bulkhead.policy());
        }
        if (live instanceof TimeLimit limit) {
            return PolicyView.of(limit.policy());
        }
        if (live instanceof Idempotency idempotency) {
            return PolicyView.of(idempotency.policy());
        }
        return PolicyView.of(((RetryBudget) live).policy());
    }

    static Map<String, Object> state(Object live) {
        Map<String, Object> state = new LinkedHashMap<>();
        if (live instanceof Retry retry) {
            state.put("calls", calls(retry.calls()));
            state.put("attempts", retry.attempts());
            state.putAll(failures(retry.status()));
        } else if (live instanceof CircuitBreaker breaker) {
            state.putAll(CircuitBreakerView.of(breaker.status()));
            state.put("calls", calls(breaker.calls()));
            state.put("slowCalls", breaker.slowCalls());
        } else if (live instanceof Bulkhead bulkhead) {
            state.put("running", bulkhead.running());
            state.put("queued", bulkhead.queued());
            state.put("limit", bulkhead.policy().maxConcurrent());
            state.put("calls", calls(bulkhead.calls()));
        } else if (live instanceof TimeLimit limit) {
            state.put("workers", limit.workers());
            state.put("calls", calls(limit.calls()));
        } else if (live instanceof Idempotency idempotency) {
            state.put("calls", calls(idempotency.calls()));
        } else if (live instanceof RetryBudget budget) {
            state.put("available", budget.available());
        }
        return state;
    }

    private static Map<String, Object> failures(RetryStatus status) {
        Map<String, Object> failures = new LinkedHashMap<>();
        if (status.lastFailure() != null && status.lastFailureAt() != null) {
            failures.put("lastFailure", status.lastFailure());
            failures.put("lastFailureAt", Timestamps.text(status.lastFailureAt()));
        }
        if (status.failingSince() != null) {
            failures.put("failingSince", Timestamps.text(status.failingSince()));
        }
        return failures;
    }

    private static <O extends Enum<O> & Outcome> Map<String, Long> calls(OutcomeCounters<O> counters) {
        Map<String, Long> calls = new LinkedHashMap<>();
        for (O outcome : counters.outcomes()) {
            calls.put(outcome.label(), counters.get(outcome));
        }
        return calls;
    }
}
