package dev.resilience.spring.metrics;

import org.jspecify.annotations.Nullable;

/**
 * The meters by name, with what a monitoring system shows beside them. A base unit is given where the name ends with it:
 * some systems append it to the name, which is fixed.
 */
enum MeterFamily {
    RETRY_CALLS("resilience.retry.calls", "calls", "Calls of retried methods by how they ended"),
    RETRY_ATTEMPTS("resilience.retry.attempts", "attempts", "Retries made; first attempts are not counted"),
    RETRY_DURATION("resilience.retry.duration", null, "Duration of whole calls that needed at least one retry"),
    RETRY_WORKERS("resilience.retry.workers", "workers", "Threads that run later attempts of asynchronous calls"),
    RETRY_QUEUED(
            "resilience.retry.queued", null, "Asynchronous calls whose wait is over, and which now wait for a thread"),
    RETRY_BUDGET_AVAILABLE(
            "resilience.retry.budget.available", null, "Retries that the retry budget would allow at this moment"),
    BREAKER_STATE(
            "resilience.circuitbreaker.state",
            null,
            "State of the circuit breaker: 0 closed, 1 open, 2 half-open, 3 forced open, 4 disabled"),
    BREAKER_FAILURE_RATE(
            "resilience.circuitbreaker.failure.rate",
            null,
            "Share of failed calls in the window, 0 to 1; while open, the share that opened the circuit breaker"),
    BREAKER_CALLS("resilience.circuitbreaker.calls", "calls", "Calls through the circuit breaker by how they ended"),
    BREAKER_SLOW_CALLS(
            "resilience.circuitbreaker.slow.calls", "calls", "Calls that took longer than slow-call-duration"),
    BREAKER_TRANSITIONS(
            "resilience.circuitbreaker.transitions", "transitions", "Changes of the circuit breaker's state"),
    BULKHEAD_RUNNING("resilience.bulkhead.running", null, "Calls that hold a permit of the bulkhead at this moment"),
    BULKHEAD_QUEUED("resilience.bulkhead.queued", null, "Calls that wait for a permit of the bulkhead at this moment"),
    BULKHEAD_LIMIT("resilience.bulkhead.limit", null, "Calls that the bulkhead lets run at the same time"),
    BULKHEAD_CALLS("resilience.bulkhead.calls", "calls", "Calls to the bulkhead by how they were received"),
    BULKHEAD_WAIT("resilience.bulkhead.wait", null, "Time that calls have waited for a permit of the bulkhead"),
    TIME_LIMIT_WORKERS("resilience.timelimit.workers", "workers", "Worker threads of the time limit that are busy"),
    TIME_LIMIT_CALLS("resilience.timelimit.calls", "calls", "Calls under a time limit by whether they ended in time"),
    IDEMPOTENCY_CALLS("resilience.idempotency.calls", "calls", "Calls with an idempotency key by how they ended"),
    IDEMPOTENCY_WORKERS(
            "resilience.idempotency.workers",
            "workers",
            "Threads that run asynchronous calls which have waited for another call with their key"),
    IDEMPOTENCY_QUEUED(
            "resilience.idempotency.queued",
            null,
            "Asynchronous calls that have waited for another call with their key, and now wait for a thread"),
    IDEMPOTENCY_MEMORY_USED(
            "resilience.idempotency.memory.used",
            null,
            "Bytes that records of idempotent calls hold in this process, about"),
    IDEMPOTENCY_MEMORY_LIMIT(
            "resilience.idempotency.memory.limit",
            null,
            "Bytes that records of idempotent calls may hold in this process; beyond them calls with new keys are refused"),
    DEADLINE_REQUESTS(
            "resilience.deadline.requests",
            "requests",
            "Requests that came with a deadline, by whether it was accepted"),
    FALLBACK_CALLS("resilience.fallback.calls", "calls", "Calls of fallback methods by how they ended");

    private final String id;
    private final @Nullable String baseUnit;
    private final String description;

    MeterFamily(String id, @Nullable String baseUnit, String description) {
        this.id = id;
        this.baseUnit = baseUnit;
        this.description = description;
    }

    String id() {
        return id;
    }

    @Nullable
    String baseUnit() {
        return baseUnit;
    }

    String description() {
        return description;
    }
}
