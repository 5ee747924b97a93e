package dev.resilience.spring.metrics;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.event.CircuitState;
import dev.resilience.event.Outcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.idempotency.MemoryIdempotencyStore;
import dev.resilience.retry.LaterAttempts;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.PolicyTimes;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.worker.PolicyTimeSource;

/** The series of one policy's live object. */
final class PolicyMeters {

    private final RegisteredMeters meters;
    private final EventTimers timers;
    private final PolicyTimes times;
    private final IdempotencyStore store;

    PolicyMeters(RegisteredMeters meters, EventTimers timers, PolicyTimes times, IdempotencyStore store) {
        this.meters = meters;
        this.timers = timers;
        this.times = times;
        this.store = store;
    }

    void add(String name, Object live) {
        if (live instanceof Retry retry) {
            outcomes(MeterFamily.RETRY_CALLS, name, retry.calls());
            meters.counter(MeterFamily.RETRY_ATTEMPTS, retry, Retry::attempts, "name", name);
            LaterAttempts later = retry.laterAttempts();
            meters.gauge(MeterFamily.RETRY_WORKERS, later, LaterAttempts::workers, "name", name);
            meters.gauge(MeterFamily.RETRY_QUEUED, later, LaterAttempts::queued, "name", name);
            timers.addRetry(name);
        } else if (live instanceof RetryBudget budget) {
            meters.gauge(MeterFamily.RETRY_BUDGET_AVAILABLE, budget, RetryBudget::available, "name", name);
        } else if (live instanceof CircuitBreaker breaker) {
            add(name, breaker);
        } else if (live instanceof Bulkhead bulkhead) {
            meters.gauge(MeterFamily.BULKHEAD_RUNNING, bulkhead, Bulkhead::running, "name", name);
            meters.gauge(MeterFamily.BULKHEAD_QUEUED, bulkhead, Bulkhead::queued, "name", name);
            meters.gauge(MeterFamily.BULKHEAD_LIMIT, bulkhead, b -> b.policy().maxConcurrent(), "name", name);
            outcomes(MeterFamily.BULKHEAD_CALLS, name, bulkhead.calls());
            timers.addBulkhead(name);
        } else if (live instanceof TimeLimit limit) {
            meters.gauge(MeterFamily.TIME_LIMIT_WORKERS, limit, TimeLimit::workers, "name", name);
            outcomes(MeterFamily.TIME_LIMIT_CALLS, name, limit.calls());
        } else if (live instanceof Idempotency idempotency) {
            outcomes(MeterFamily.IDEMPOTENCY_CALLS, name, idempotency.calls());
            if (store instanceof MemoryIdempotencyStore memory) { // one for all policies
                meters.gauge(MeterFamily.IDEMPOTENCY_MEMORY_USED, memory, MemoryIdempotencyStore::bytes);
                meters.gauge(MeterFamily.IDEMPOTENCY_MEMORY_LIMIT, memory, MemoryIdempotencyStore::maxBytes);
            }
            PolicyTimeSource time = times.of(PolicyKind.IDEMPOTENCY, name);
            if (time != null) {
                meters.gauge(MeterFamily.IDEMPOTENCY_WORKERS, time, PolicyTimeSource::busyThreads, "name", name);
                meters.gauge(MeterFamily.IDEMPOTENCY_QUEUED, time, PolicyTimeSource::queued, "name", name);
            }
        }
    }

    private void add(String name, CircuitBreaker breaker) {
        meters.gauge(MeterFamily.BREAKER_STATE, breaker, PolicyMeters::number, "name", name);
        meters.gauge(MeterFamily.BREAKER_FAILURE_RATE, breaker, CircuitBreaker::failureRate, "name", name);
        outcomes(MeterFamily.BREAKER_CALLS, name, breaker.calls());
        meters.counter(MeterFamily.BREAKER_SLOW_CALLS, breaker, CircuitBreaker::slowCalls, "name", name);
        for (CircuitState from : CircuitState.values()) {
            for (CircuitState to : CircuitState.values()) {
                if (from != to) {
                    meters.counter(
                            MeterFamily.BREAKER_TRANSITIONS,
                            breaker,
                            b -> b.transitions(from, to),
                            "name",
                            name,
                            "from",
                            from.label(),
                            "to",
                            to.label());
                }
            }
        }
    }

    @SuppressWarnings("EnumOrdinal") // the numbers of the gauge are the order of declaration, and documented so
    private static double number(CircuitBreaker breaker) {
        return breaker.currentState().ordinal();
    }

    private <O extends Enum<O> & Outcome> void outcomes(MeterFamily family, String name, OutcomeCounters<O> counters) {
        for (O outcome : counters.outcomes()) {
            meters.counter(family, counters, c -> c.get(outcome), "name", name, "outcome", outcome.label());
        }
    }
}
