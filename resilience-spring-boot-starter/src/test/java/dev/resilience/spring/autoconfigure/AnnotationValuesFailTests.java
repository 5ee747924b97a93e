package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.throttle.ThrottlePolicy;
import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.PolicyCustomizer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What a developer reads who has given an annotation or a bean values that cannot be. */
class AnnotationValuesFailTests extends FailingStartup {

    static Stream<Arguments> values() {
        return Stream.of(
                Arguments.of("attempts()", "@Retryable(maxAttempts = 0)", "maxAttempts", "must be at least 1"),
                Arguments.of("negative()", "@Retryable(maxAttempts = -1)", "maxAttempts", "must be at least 1"),
                Arguments.of("withoutUnit()", "@Retryable(delay = \"200\")", "delay", "it has no unit"),
                Arguments.of(
                        "unreadable()", "@Retryable(maxDelay = \"soon\")", "maxDelay", "Write a number and a unit"),
                Arguments.of("multiplier()", "@Retryable(multiplier = 0.5)", "multiplier", "at least 1"),
                Arguments.of("unresolved()", "@Retryable(delay = \"${no.such}\")", "delay", "cannot be resolved"),
                Arguments.of("rate()", "@CircuitBreaker(failureRateThreshold = 50.0)", "failureRateThreshold", "0.5"),
                Arguments.of("open()", "@CircuitBreaker(openDuration = \"0\")", "openDuration", "longer than zero"),
                Arguments.of("concurrent()", "@Bulkhead(maxConcurrent = 0)", "maxConcurrent", "must be at least 1"),
                Arguments.of("queue()", "@Bulkhead(maxQueue = -1)", "maxQueue", "must"),
                Arguments.of("timeout()", "@TimeLimit(timeout = \"0\")", "timeout", "longer than zero"),
                Arguments.of(
                        "ttl(java.lang.String)", "@Idempotent(ttl = \"1s\")", "ttl", "must not be shorter than lease"));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("values")
    void aValueThatCannotBeIsNamedWithClassMethodAndAttribute(
            String method, String annotation, String attribute, String reason) {
        Printed printed = fail(Refused.class);
        assertThat(printed.description() + printed.action()).contains(reason);
        printed.says("    Annotation: " + annotation + "\n    Place: " + Refused.class.getName() + "." + method)
                .advises("Change the value of attribute '" + attribute + "' of " + annotation + " on "
                        + Refused.class.getName() + "." + method);
    }

    @Test
    void theProblemsOfPropertiesAreReportedWithThem() {
        fail("""
            resilience.retry.payments.max-attempts: 0
            resilience.retry:
              "[Refused.attempts]":
                max-atempts: 2
            """, Refused.class)
                .blames("resilience.retry.payments.max-attempts", "0", 1)
                .says("@Retryable(maxAttempts = 0)", "max-atempts");
    }

    @Test
    void aPropertyCuresTheValueOfAnAnnotation() {
        fail("""
            resilience.retry:
              "[Once.tried]":
                max-attempts: 2
              broken:
                max-attempts: 0
            """, Once.class).blames("resilience.retry.broken.max-attempts", "0", 5);
        assertThat(fail("resilience.retry.broken.max-attempts: 0", Once.class).description())
                .contains("@Retryable(maxAttempts = 0)");
    }

    @Test
    void twoPlacesThatGiveOneNameDifferentValuesAreBothNamed() {
        fail(Different.class)
                .says("different values")
                .says("@Retryable(maxAttempts = 2) of " + Different.class.getName() + ".first()")
                .says("@Retryable(delay = \"1s\", maxAttempts = 2) of " + Different.class.getName() + ".second()")
                .advises("the name 'payments' alone");
    }

    @Test
    void overloadsWithDifferentValuesNeedNames() {
        fail(Overloads.class)
                .says("'Overloads.sell'", Overloads.class.getName() + ".sell()")
                .says(Overloads.class.getName() + ".sell(int)");
    }

    @Test
    void aNameThatDiffersByDashesFromThatOfAFileIsRefused() {
        fail("""
            resilience.retry.payments-api.max-attempts: 2
            """, Dashes.class)
                .says("'payments-api' and 'paymentsApi' differ by dashes and case only")
                .says("Annotation: @Retryable on " + Dashes.class.getName() + ".sell()");
    }

    @Test
    void aNameWithDotsIsWrittenInBrackets() {
        fail("resilience.retry.Once.tried.max-attempts: 2", Once.class).advises("\"[Once.tried]\"");
    }

    @Test
    void aBareNameStillNeedsAPolicy() {
        fail(Bare.class).says("names the retry policy 'paymets'").advises("Did you mean 'payments'?");
    }

    @Test
    void aPolicyBeanAndExtendsExcludeEachOther() {
        fail("""
            resilience.retry.payments.extends: batch
            """, Beans.class)
                .says("starts from the bean 'payments'")
                .blames("resilience.retry.payments.extends", "batch", 1);
    }

    @Test
    void aPolicyBeanWhoseNameDiffersByDashesFromThatOfAFileIsRefused() {
        fail("""
            resilience.retry.slow-backend.max-attempts: 2
            """, Beans.class)
                .says("'slow-backend' and 'slowBackend' differ by dashes and case only", "Bean: slowBackend");
    }

    @Test
    void aPropertyThatDoesNotGoWithAPolicyBeanNamesTheBean() {
        fail("""
            resilience.retry.payments.backoff.base-delay: 1m
            """, Beans.class)
                .says("Value: PT30S (of the bean 'payments')")
                .blames("resilience.retry.payments.backoff.base-delay", "1m", 1);
    }

    @Test
    void aCustomizerOfNoKnownPoliciesIsRefused() {
        fail(Lost.class)
                .says("The bean 'ofNothing' is a PolicyCustomizer, but nothing tells of which policies")
                .says("The bean 'ofAnotherKind'")
                .advises("PolicyCustomizer<RetryPolicy>", "There are: RetryPolicy, CircuitBreakerPolicy");
    }

    @Test
    void aCustomizerThatMakesWhatCannotBeIsNamed() {
        fail("""
            resilience.retry.payments.max-attempts: 2
            """, BadCustomizers.class)
                .says("cannot change the retry policy 'payments'", "max-attempts = 0: must be at least 1")
                .says("cannot change the bulkhead policy 'default'", "it returned null")
                .says(BadCustomizers.class.getName());
    }

    static class Refused {

        @Retryable(maxAttempts = 0)
        public void attempts() {}

        @Retryable(maxAttempts = -1)
        public void negative() {}

        @Retryable(delay = "200")
        public void withoutUnit() {}

        @Retryable(maxDelay = "soon")
        public void unreadable() {}

        @Retryable(multiplier = 0.5)
        public void multiplier() {}

        @Retryable(delay = "${no.such}")
        public void unresolved() {}

        @CircuitBreaker(failureRateThreshold = 50)
        public void rate() {}

        @CircuitBreaker(openDuration = "0")
        public void open() {}

        @Bulkhead(maxConcurrent = 0)
        public void concurrent() {}

        @Bulkhead(maxQueue = -1)
        public void queue() {}

        @TimeLimit(timeout = "0")
        public void timeout() {}

        @Idempotent(key = "#id", ttl = "1s")
        public String ttl(String id) {
            return id;
        }
    }

    static class Once {

        @Retryable(maxAttempts = 0)
        public void tried() {}
    }

    static class Different {

        @Retryable(value = "payments", maxAttempts = 2)
        public void first() {}

        @Retryable(value = "payments", maxAttempts = 2, delay = "1s")
        public void second() {}
    }

    static class Overloads {

        @Retryable(maxAttempts = 2)
        public void sell() {}

        @Retryable(maxAttempts = 3)
        public void sell(int number) {}
    }

    static class Dashes {

        @Retryable(value = "paymentsApi", maxAttempts = 2)
        public void sell() {}
    }

    static class Bare {

        @Retryable(value = "payments", maxAttempts = 2)
        public void sell() {}

        @Retryable("paymets")
        public void show() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        RetryPolicy payments() {
            return RetryPolicy.builder().maxAttempts(7).build();
        }

        @Bean
        RetryPolicy slowBackend() {
            return RetryPolicy.defaults();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Lost {

        @Bean
        @SuppressWarnings("rawtypes")
        PolicyCustomizer ofNothing() {
            return (name, policy) -> policy;
        }

        @Bean
        PolicyCustomizer<ThrottlePolicy> ofAnotherKind() {
            return (name, policy) -> policy;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BadCustomizers {

        @Bean
        PolicyCustomizer<RetryPolicy> none() {
            return (name, policy) -> name.equals("payments")
                    ? RetryPolicy.builder().maxAttempts(0).build()
                    : policy;
        }

        @Bean
        @SuppressWarnings("NullAway")
        PolicyCustomizer<BulkheadPolicy> nothing() {
            return (name, policy) -> null;
        }
    }
}
