package dev.resilience.spring.autoconfigure;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A value that is not of the right type: an enum constant, a class, an expression that there is none of. */
class UnreadableValuesFailTests extends FailingStartup {

    @Test
    void anEnumConstantWithATypingErrorIsAnsweredWithTheValidOnes() {
        fail("""
            resilience:
              retry:
                payments:
                  backoff:
                    jitter: ful
            """)
                .blames("resilience.retry.payments.backoff.jitter", "ful", 5)
                .advises("DECORRELATED", "EQUAL", "FULL", "NONE", "PROPORTIONAL");
    }

    @Test
    void aNumberThatIsNone() {
        fail("resilience.bulkhead.payments.max-concurrent: many")
                .blames("resilience.bulkhead.payments.max-concurrent", "many", 1);
    }

    @Test
    void aStateThatOnlyABreakerItselfCanReach() {
        fail("resilience.circuit-breaker.payments.initial-state: half-open")
                .blames("resilience.circuit-breaker.payments.initial-state", "half-open", 1)
                .advises("must be closed, open, forced-open, disabled or metrics-only");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "retry-on-status; 503,",
                "retry-on-status; ',503'",
                "retry-on; java.io.IOException,",
                "do-not-retry-on; 'java.io.IOException,,java.lang.IllegalStateException'"
            })
    void aListWithACommaTooMany(String key, String value) {
        fail("resilience.retry.payments." + key + ": '" + value + "'")
                .blames("resilience.retry.payments." + key, value, 1)
                .says("one of its elements is empty")
                .advises("Remove the comma");
    }

    @Nested
    class ExceptionClasses {

        @ParameterizedTest
        @CsvSource({
            "retry, retry-on",
            "retry, do-not-retry-on",
            "circuit-breaker, record-on",
            "circuit-breaker, ignore-on",
            "idempotency, replay-exceptions"
        })
        void thatDoNotExist(String kind, String key) {
            fail("""
                resilience:
                  %s:
                    payments:
                      %s:
                        - java.lang.IllegalStateException
                        - com.example.NoSuchException
                """.formatted(kind, key))
                    .blames("resilience." + kind + ".payments." + key + "[1]", "com.example.NoSuchException", 6)
                    .says("com.example.NoSuchException");
        }

        @ParameterizedTest
        @CsvSource({
            "retry, retry-on",
            "retry, do-not-retry-on",
            "circuit-breaker, record-on",
            "circuit-breaker, ignore-on",
            "idempotency, replay-exceptions"
        })
        void thatAreNone(String kind, String key) {
            String property = "resilience." + kind + ".payments." + key;
            fail("""
                resilience:
                  %s:
                    payments:
                      %s:
                        - java.lang.IllegalStateException
                        - java.lang.String
                """.formatted(kind, key))
                    .blames(property + "[1]", "java.lang.String", 6)
                    .says("must be an exception class")
                    .advises(property);
        }

        @Test
        void thatAreNoneInAListOnOneLine() {
            fail("resilience.retry.payments.retry-on: java.lang.IllegalStateException,java.lang.String")
                    .blames("resilience.retry.payments.retry-on", "java.lang.IllegalStateException,java.lang.String", 1)
                    .says("java.lang.String must be an exception class");
        }

        @Test
        void thatCannotBeRebuiltForAReplay() {
            fail("""
                resilience.idempotency.payments.replay-exceptions:
                  - dev.resilience.spring.autoconfigure.UnreadableValuesFailTests$WithoutMessage
                """)
                    .blames(
                            "resilience.idempotency.payments.replay-exceptions[0]",
                            "dev.resilience.spring.autoconfigure.UnreadableValuesFailTests$WithoutMessage",
                            2)
                    .advises("needs a public constructor with one String");
        }
    }

    @Test
    void anHttpStatusThatIsNone() {
        fail("resilience.retry.payments.retry-on-status: [503, 5000]")
                .blames("resilience.retry.payments.retry-on-status[1]", "5000", 1)
                .advises("must be an HTTP status");
    }

    @Test
    void aResultExpressionThatDoesNotParse() {
        fail("""
            resilience:
              retry:
                payments:
                  retry-on-result: "#result.status = = 'PENDING'"
            """)
                .blames("resilience.retry.payments.retry-on-result", "#result.status = = 'PENDING'", 4)
                .says("does not parse")
                .advises("SpEL expression over #result", "#result.status == 'PENDING'");
    }

    @ParameterizedTest
    @CsvSource({
        "#reslut == null, '''#reslut'' is no variable; variables are: #result'",
        "status == null, it names no variable"
    })
    void aResultExpressionThatIsNotOverTheResult(String expression, String reason) {
        fail("resilience.retry.payments.retry-on-result: \"" + expression + "\"")
                .blames("resilience.retry.payments.retry-on-result", expression, 1)
                .says("Reason: " + reason)
                .advises("SpEL expression over #result");
    }

    @Test
    void aResultExpressionOfACircuitBreakerThatDoesNotParse() {
        fail("resilience.circuit-breaker.payments.record-on-result: \"#result.status = = 'DOWN'\"")
                .blames("resilience.circuit-breaker.payments.record-on-result", "#result.status = = 'DOWN'", 1)
                .advises("SpEL expression over #result", "#result.status == 'DOWN'");
    }

    @Test
    void aResultExpressionOfACircuitBreakerThatIsNotOverTheResult() {
        fail("resilience.circuit-breaker.payments.record-on-result: \"status == null\"")
                .blames("resilience.circuit-breaker.payments.record-on-result", "status == null", 1)
                .says("Reason: it names no variable")
                .advises("SpEL expression over #result");
    }

    @Test
    void virtualThreadsWithoutAThreadPool() {
        fail("resilience.bulkhead.payments.virtual-threads: true")
                .blames("resilience.bulkhead.payments.virtual-threads", "true", 1)
                .advises("is for type thread-pool only");
    }

    @Test
    @DisabledForJreRange(min = JRE.JAVA_21)
    void virtualThreadsOnAJavaThatHasNone() {
        fail("resilience.bulkhead.payments:\n  type: thread-pool\n  virtual-threads: true")
                .blames("resilience.bulkhead.payments.virtual-threads", "true", 3)
                .advises("needs Java 21 or later, and this is Java 17");
    }

    public static final class WithoutMessage extends RuntimeException {}
}
