package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.test.json.JsonPathValueAssert;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

@ActuatorTest
class EndpointOverviewTests {

    @Autowired
    MockMvcTester mvc;

    @Test
    void showsAllKindsAndTheWarnings() {
        assertThat(mvc.get().uri("/actuator/resilience"))
                .hasStatus(HttpStatus.OK)
                .bodyJson()
                .extractingPath("$")
                .asMap()
                .containsOnlyKeys(
                        "trouble",
                        "retry",
                        "circuit-breaker",
                        "bulkhead",
                        "rate-limit",
                        "time-limit",
                        "hedge",
                        "idempotency",
                        "retry-budget",
                        "http-client",
                        "dead-letter",
                        "warnings");
    }

    @Test
    void showsEveryPolicyOfAKindAndTheDefault() {
        json("$.retry").asMap().containsOnlyKeys("default", "kept", "orders");
        json("$['circuit-breaker']").asMap().containsOnlyKeys("default", "inspected", "orders");
        json("$['retry-budget']").asMap().containsOnlyKeys("default", "kept", "orders", "shared");
        json("$['time-limit']").asMap().containsOnlyKeys("default", "orders");
    }

    @Test
    void beginsWithWhatIsInTrouble() {
        assertThat(mvc.get().uri("/actuator/resilience")).bodyText().startsWith("{\"trouble\":[");
    }

    @Test
    void showsWhatNoMethodUsesLast() {
        json("$['circuit-breaker']")
                .asMap()
                .extractingFromEntries(Map.Entry::getKey)
                .containsExactly("orders", "default", "inspected");
    }

    @Test
    void showsTheStateBeforeThePolicyAndWhatCanBeDone() {
        json("$['circuit-breaker'].orders")
                .asMap()
                .extractingFromEntries(Map.Entry::getKey)
                .containsExactly("state", "usedBy", "actions", "policy");
        json("$['circuit-breaker'].orders.actions").asArray().contains("force-open", "reset");
        json("$.bulkhead.orders.actions").isEqualTo(List.of());
    }

    @Test
    void showsWhoUsesAPolicy() {
        json("$.retry.orders.usedBy").isEqualTo(List.of("OrderService.find(int, String)", "OrderService.place(Order)"));
        json("$['time-limit'].orders.usedBy").isEqualTo(List.of("OrderService.place(Order)"));
        json("$.idempotency.orders.usedBy").isEqualTo(List.of("OrderService.place(Order)"));
        json("$.retry.default.usedBy").isEqualTo(List.of());
    }

    @Test
    void showsTheWarningsOfTheStart() {
        json("$.warnings")
                .asArray()
                .anySatisfy(warning ->
                        assertThat(warning).asString().contains("Dead letters are kept in this process only"))
                .anySatisfy(warning -> assertThat(warning).asString().contains("remembered in this process only"));
    }

    @Test
    void showsAKindAlone() {
        assertThat(mvc.get().uri("/actuator/resilience/circuit-breaker"))
                .hasStatus(HttpStatus.OK)
                .bodyJson()
                .hasPathSatisfying(
                        "$", kind -> kind.assertThat().asMap().containsOnlyKeys("default", "inspected", "orders"))
                .hasPathSatisfying(
                        "$.orders",
                        entry -> entry.assertThat().asMap().containsOnlyKeys("state", "usedBy", "actions", "policy"));
    }

    @Nested
    class Policies {

        @Test
        void ofARetryAreWrittenAsInYamlWithTheirWorstCaseWait() {
            json("$.retry.orders.policy")
                    .isEqualTo(Map.ofEntries(
                            Map.entry("max-attempts", 4),
                            Map.entry("retry-unknown", false),
                            Map.entry("fail-when-exhausted", false),
                            Map.entry("max-duration", "PT1M30S"),
                            Map.entry(
                                    "backoff",
                                    Map.of(
                                            "strategy", "exponential",
                                            "base-delay", "PT1S",
                                            "multiplier", 2.0,
                                            "max-delay", "PT30S",
                                            "jitter", "none",
                                            "jitter-factor", 0.5)),
                            Map.entry("retry-on", List.of("java.io.IOException")),
                            Map.entry("do-not-retry-on", List.of()),
                            Map.entry("retry-on-status", List.of(408, 429, 502, 503, 504)),
                            Map.entry("honor-retry-after", true),
                            Map.entry("max-retry-after", "PT1M"),
                            Map.entry("budget", "orders"),
                            Map.entry("dead-letter", false),
                            Map.entry("dead-letter.replay", "manual"),
                            Map.entry("retry-after-first-element", false),
                            Map.entry("nested", "allow"),
                            Map.entry("worstCaseWait", "PT7S")));
        }

        @Test
        void ofACircuitBreakerAreWrittenAsInYaml() {
            json("$['circuit-breaker'].orders.policy")
                    .isEqualTo(Map.ofEntries(
                            Map.entry("failure-threshold", 2),
                            Map.entry("failure-rate-threshold", 0.5),
                            Map.entry("minimum-calls", 10),
                            Map.entry("window", Map.of("type", "time", "duration", "PT1M", "size", 100)),
                            Map.entry("slow-call-duration", "PT1.5S"),
                            Map.entry("slow-call-rate-threshold", 1.0),
                            Map.entry("open-duration", "PT30S"),
                            Map.entry("open-duration-multiplier", 2.0),
                            Map.entry("max-open-duration", "PT5M"),
                            Map.entry("ramp", "PT0S"),
                            Map.entry(
                                    "half-open",
                                    Map.of("max-concurrent", 1, "success-threshold", 2, "probe-timeout", "PT30S")),
                            Map.entry("record-on", List.of()),
                            Map.entry("ignore-on", List.of()),
                            Map.entry("initial-state", "closed"),
                            Map.entry("health", "ignore"),
                            Map.entry("pause-listeners", false),
                            Map.entry("enforce", 1.0),
                            Map.entry("max-keys", 10_000)));
        }

        @Test
        void ofABulkheadAreWrittenAsInYaml() {
            json("$.bulkhead.orders.policy")
                    .isEqualTo(Map.of(
                            "type",
                            "semaphore",
                            "max-concurrent",
                            7,
                            "min-concurrent",
                            1,
                            "max-queue",
                            50,
                            "queue-timeout",
                            "PT30S",
                            "virtual-threads",
                            false,
                            "enforce",
                            1.0,
                            "max-keys",
                            10_000));
        }

        @Test
        void ofATimeLimitAreWrittenAsInYaml() {
            json("$['time-limit'].orders.policy")
                    .isEqualTo(Map.of("timeout", "PT2S", "thread", "caller", "enforce", 1.0));
        }

        @Test
        void ofIdempotencyAreWrittenAsInYamlWithSizesAsText() {
            json("$.idempotency.orders.policy")
                    .isEqualTo(Map.ofEntries(
                            Map.entry("ttl", "PT24H"),
                            Map.entry("lease", "PT30S"),
                            Map.entry("max-lease", "PT10M"),
                            Map.entry("on-in-progress", "reject"),
                            Map.entry("wait-timeout", "PT5S"),
                            Map.entry("on-abandoned", "take-over"),
                            Map.entry("fingerprint", true),
                            Map.entry("replay-exceptions", List.of()),
                            Map.entry("on-store-failure", "fail-closed"),
                            Map.entry("max-result-size", "1MB"),
                            Map.entry("scope", "caller"),
                            Map.entry("transactional", "auto")));
            json("$.idempotency.default.policy['max-result-size']").isEqualTo("256KB");
        }

        @Test
        void ofARetryBudgetAreWrittenAsInYaml() {
            json("$['retry-budget'].shared.policy")
                    .isEqualTo(Map.of("max-ratio", 0.2, "window", "PT10S", "min-retries-per-second", 10));
        }
    }

    @Nested
    class States {

        @Test
        void areThereBeforeTheFirstCall() {
            json("$.retry.default.state")
                    .isEqualTo(Map.of(
                            "attempts",
                            0,
                            "calls",
                            Map.of(
                                    "success", 0,
                                    "success_after_retry", 0,
                                    "exhausted", 0,
                                    "not_retryable", 0,
                                    "budget_exhausted", 0,
                                    "out_of_time", 0,
                                    "interrupted", 0)));
            json("$['circuit-breaker'].inspected.state")
                    .isEqualTo(Map.of(
                            "state",
                            "CLOSED",
                            "since",
                            "2026-01-01T00:00:00.000Z",
                            "failedProbes",
                            0,
                            "refused",
                            0,
                            "windowCalls",
                            0,
                            "calls",
                            Map.of("success", 0, "failure", 0, "ignored", 0, "rejected", 0, "would_reject", 0),
                            "slowCalls",
                            0));
            json("$.bulkhead.default.state")
                    .isEqualTo(Map.of(
                            "running",
                            0,
                            "queued",
                            0,
                            "limit",
                            10,
                            "queueLimit",
                            50,
                            "calls",
                            Map.of("accepted", 0, "rejected", 0, "timed_out", 0, "would_reject", 0)));
            json("$['time-limit'].default.state")
                    .isEqualTo(Map.of("workers", 0, "calls", Map.of("in_time", 0, "timed_out", 0, "would_reject", 0)));
            json("$['retry-budget'].shared.state").isEqualTo(Map.of("available", 100));
            json("$.idempotency.default.state.calls").asMap().hasSize(10).containsEntry("executed", 0);
        }
    }

    private JsonPathValueAssert json(String path) {
        return assertThat(mvc.get().uri("/actuator/resilience")).bodyJson().extractingPath(path);
    }
}
