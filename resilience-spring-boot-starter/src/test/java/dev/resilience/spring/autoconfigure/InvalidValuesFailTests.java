package dev.resilience.spring.autoconfigure;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A value that a policy cannot have: the property, the value, its line in the file, and what it must be. */
class InvalidValuesFailTests extends FailingStartup {

    private Printed failWith(String kind, String key, String value) {
        return fail("""
            resilience:
              %s:
                payments:
                  %s: %s
            """.formatted(kind, key, value));
    }

    @Nested
    class Counts {

        @Test
        void aNumberOfThreadsIsAtLeastOne() {
            fail("resilience.async.max-threads: 0")
                    .blames("resilience.async.max-threads", "0", 1)
                    .says("must be at least 1");
        }

        @ParameterizedTest
        @CsvSource({
            "retry, max-attempts, 0, must be at least 1",
            "retry, max-attempts, -1, must be at least 1",
            "retry-budget, min-retries-per-second, 0, must be at least 1",
            "circuit-breaker, failure-threshold, -1, must be at least 0",
            "circuit-breaker, minimum-calls, 0, must be at least 1",
            "circuit-breaker, half-open.max-concurrent, 0, must be at least 1",
            "circuit-breaker, half-open.success-threshold, 0, must be at least 1",
            "circuit-breaker, window.size, 0, must be at least 1",
            "bulkhead, max-concurrent, 0, must be at least 1",
            "bulkhead, max-queue, -1, must be at least 0",
            "idempotency, max-result-size, 0B, must be at least 1B"
        })
        void belowTheirMinimum(String kind, String key, String value, String requirement) {
            String property = "resilience." + kind + ".payments." + key;
            failWith(kind, key, value)
                    .says("The " + kind + " policy 'payments' has a value that it cannot have", requirement)
                    .blames(property, value, 4)
                    .advises("Change the value of '" + property + "'", requirement);
        }

        @Test
        void moreCallsThanTheWindowHolds() {
            fail("""
                resilience.circuit-breaker.payments:
                  window:
                    type: count
                    size: 5
                """)
                    .says("minimum-calls", "Value: 10 (nowhere written, so the default)", "window.size, which is 5")
                    .advises("resilience.circuit-breaker.payments.minimum-calls", "window.size");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "margin, 0ms, must be longer than zero",
        "margin, -1s, must be longer than zero",
        "header, 'X Time Left', must be the name of a header",
        "header, '\"\"', must be the name of a header",
        "header, 'X-Time:', must be the name of a header"
    })
    void deadlines(String key, String value, String requirement) {
        String property = "resilience.deadline." + key;
        fail("resilience.deadline." + key + ": '" + value.replace("\"", "") + "'")
                .blames(property, value.replace("\"", ""), 1)
                .advises("Change the value of '" + property + "'", requirement);
    }

    @Nested
    class Durations {

        @ParameterizedTest
        @CsvSource({
            "retry, max-duration",
            "retry, backoff.max-delay",
            "retry, max-retry-after",
            "retry-budget, window",
            "circuit-breaker, window.duration",
            "circuit-breaker, slow-call-duration",
            "circuit-breaker, open-duration",
            "circuit-breaker, max-open-duration",
            "circuit-breaker, half-open.probe-timeout",
            "bulkhead, queue-timeout",
            "time-limit, timeout",
            "idempotency, ttl",
            "idempotency, lease",
            "idempotency, max-lease",
            "idempotency, wait-timeout"
        })
        void zeroOrNegative(String kind, String key) {
            String property = "resilience." + kind + ".payments." + key;
            failWith(kind, key, "0s").blames(property, "0s", 4).advises(property, "must be longer than zero");
            failWith(kind, key, "-5s").blames(property, "-5s", 4).advises(property, "must be longer than zero");
        }

        @Test
        void aBaseDelayMayBeZeroButNotNegative() {
            failWith("retry", "backoff.base-delay", "-1ms")
                    .blames("resilience.retry.payments.backoff.base-delay", "-1ms", 4)
                    .advises("must not be negative");
            start("resilience.retry.payments.backoff.base-delay: 0").close();
        }

        @ParameterizedTest
        @CsvSource(
                quoteCharacter = '"',
                value = {"soon, 'soon' is not a valid", "5 seconds, '5 seconds' is not a valid", "10x, Unknown unit 'x'"
                })
        void thatAreNone(String value, String reason) {
            failWith("retry", "max-duration", value)
                    .blames("resilience.retry.payments.max-duration", value, 4)
                    .says("java.time.Duration", reason);
        }

        @Test
        void aTimeToLiveShorterThanTheLease() {
            failWith("idempotency", "ttl", "10s")
                    .blames("resilience.idempotency.payments.ttl", "10s", 4)
                    .advises("must not be shorter than lease, which is PT30S");
        }

        @Test
        void anOpenDurationThatCannotGrow() {
            fail("""
                resilience.circuit-breaker.payments:
                  open-duration: 10m
                  open-duration-multiplier: 2
                """)
                    .says("max-open-duration", "Value: PT5M (nowhere written, so the default)")
                    .advises("must not be shorter than open-duration, which is PT10M");
        }
    }

    @Nested
    class Ratios {

        @Test
        void givenAsPercent() {
            failWith("circuit-breaker", "failure-rate-threshold", "50")
                    .blames("resilience.circuit-breaker.payments.failure-rate-threshold", "50", 4)
                    .advises("is a ratio and must be between 0 and 1", "for 50.0 percent write 0.5");
        }

        @ParameterizedTest
        @CsvSource({
            "circuit-breaker, failure-rate-threshold, -0.1",
            "circuit-breaker, slow-call-rate-threshold, -1",
            "circuit-breaker, slow-call-rate-threshold, 1.01",
            "retry-budget, max-ratio, -0.5",
            "retry, backoff.jitter-factor, 1.5",
            "retry, backoff.jitter-factor, .NaN"
        })
        void outsideOfZeroToOne(String kind, String key, String value) {
            String property = "resilience." + kind + ".payments." + key;
            failWith(kind, key, value)
                    .blames(property, value.replace(".NaN", "NaN"), 4)
                    .advises("is a ratio and must be between 0 and 1");
        }

        @ParameterizedTest
        @CsvSource({"retry, backoff.multiplier", "circuit-breaker, open-duration-multiplier"})
        void multipliersThatShrink(String kind, String key) {
            failWith(kind, key, "0.9")
                    .blames("resilience." + kind + ".payments." + key, "0.9", 4)
                    .advises("must be a number of at least 1");
        }
    }

    @Nested
    class WhereTheValueIsInherited {

        @Test
        void theDefaultIsBlamedForWhatItSays() {
            fail("""
                resilience.retry:
                  default:
                    max-attempts: 0
                  payments: {}
                """).blames("resilience.retry.default.max-attempts", "0", 3);
        }

        @Test
        void thePolicyThatIsExtendedIsBlamedForWhatItSays() {
            fail("""
                resilience.retry:
                  a-first-one:
                    extends: parent
                  parent:
                    backoff.maxDelay: 0s
                """)
                    .says("The retry policy 'a-first-one'")
                    .blames("resilience.retry.parent.backoff.max-delay", "0s", 5);
        }
    }
}
