package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Fallback;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every series exists from the start, with the tags that the documentation promises and no other. */
class MetersAtStartupTests {

    private static final List<String> STATES =
            List.of("closed", "open", "half_open", "forced_open", "disabled", "metrics_only");

    private final Map<String, Double> expected = new TreeMap<>();

    @Test
    void allSeriesOfEveryPolicyAreThereButThoseOfDefaultsThatNoMethodUses() {
        Meters.application(Shop.class)
                .withPropertyValues(
                        "resilience.retry.shared.budget=common",
                        "resilience.retry.unlimited.budget=none",
                        "resilience.retry-budget.common.min-retries-per-second=2",
                        "resilience.circuit-breaker.payments.initial-state=forced-open",
                        "resilience.bulkhead.payments.max-concurrent=7",
                        "resilience.time-limit.payments.thread=worker",
                        "resilience.idempotency.payments.ttl=1h")
                .run(context -> {
                    for (String retry : List.of("two", "three", "four", "five", "at-once", "shared", "unlimited")) {
                        retry(retry);
                    }
                    for (String ownBudget : List.of("two", "three", "four", "five", "at-once")) {
                        series("resilience.retry.budget.available[name=" + ownBudget + "] GAUGE", 100);
                    }
                    series("resilience.retry.budget.available[name=common] GAUGE", 20);
                    circuitBreaker("payments", 3);
                    bulkhead("payments", 7);
                    timeLimit("payments");
                    idempotency("payments");
                    outcomes("resilience.fallback.calls", "Shop.sell", "success", "failure");

                    assertThat(Meters.of(context).all()).containsExactlyInAnyOrderEntriesOf(expected);
                });
    }

    private void retry(String name) {
        outcomes(
                "resilience.retry.calls",
                name,
                "success",
                "success_after_retry",
                "exhausted",
                "not_retryable",
                "budget_exhausted",
                "out_of_time",
                "interrupted");
        series("resilience.retry.attempts[name=" + name + "] COUNTER", 0);
        for (String outcome : List.of(
                "success_after_retry",
                "exhausted",
                "not_retryable",
                "budget_exhausted",
                "out_of_time",
                "interrupted")) {
            series("resilience.retry.duration[name=" + name + ",outcome=" + outcome + "] TIMER", 0);
        }
        series("resilience.retry.workers[name=" + name + "] GAUGE", 0);
        series("resilience.retry.queued[name=" + name + "] GAUGE", 0);
    }

    private void circuitBreaker(String name, int state) {
        series("resilience.circuitbreaker.state[name=" + name + "] GAUGE", state);
        series("resilience.circuitbreaker.failure.rate[name=" + name + "] GAUGE", Double.NaN);
        series("resilience.circuitbreaker.slow.calls[name=" + name + "] COUNTER", 0);
        outcomes("resilience.circuitbreaker.calls", name, "success", "failure", "ignored", "rejected", "would_reject");
        for (String from : STATES) {
            for (String to : STATES) {
                if (!from.equals(to)) {
                    series(
                            "resilience.circuitbreaker.transitions[from=" + from + ",name=" + name + ",to=" + to
                                    + "] COUNTER",
                            0);
                }
            }
        }
    }

    private void bulkhead(String name, int limit) {
        series("resilience.bulkhead.running[name=" + name + "] GAUGE", 0);
        series("resilience.bulkhead.queued[name=" + name + "] GAUGE", 0);
        series("resilience.bulkhead.limit[name=" + name + "] GAUGE", limit);
        series("resilience.bulkhead.wait[name=" + name + "] TIMER", 0);
        outcomes("resilience.bulkhead.calls", name, "accepted", "rejected", "timed_out", "would_reject");
    }

    private void timeLimit(String name) {
        series("resilience.timelimit.workers[name=" + name + "] GAUGE", 0);
        outcomes("resilience.timelimit.calls", name, "in_time", "timed_out", "would_reject");
    }

    private void idempotency(String name) {
        series("resilience.idempotency.memory.used[] GAUGE", 0);
        series("resilience.idempotency.memory.limit[] GAUGE", MemoryIdempotencyStore.DEFAULT_MAX_BYTES);
        outcomes(
                "resilience.idempotency.calls",
                name,
                "executed",
                "replayed",
                "in_progress",
                "key_reused",
                "taken_over",
                "lease_lost",
                "released",
                "outcome_unknown",
                "store_failure",
                "no_key");
    }

    private void outcomes(String meter, String name, String... outcomes) {
        for (String outcome : outcomes) {
            series(meter + "[name=" + name + ",outcome=" + outcome + "] COUNTER", 0);
        }
    }

    private void series(String id, double value) {
        expected.put(id, value);
    }

    static class Shop {

        @Fallback("nothing")
        public String sell() {
            return "sold";
        }

        String nothing() {
            return "nothing";
        }
    }
}
