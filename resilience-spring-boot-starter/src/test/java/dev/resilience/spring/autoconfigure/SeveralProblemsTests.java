package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.PolicyCustomizer;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import jakarta.annotation.PostConstruct;
import java.io.InputStream;
import java.util.concurrent.Callable;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Lazy;

/** All that cannot work is reported together. */
@ExtendWith(OutputCaptureExtension.class)
class SeveralProblemsTests extends FailingStartup {

    private static final String PROPERTIES = """
        resilience:
          retries:
            payments:
              max-attempts: 5
              max-duration: 10s
          order: [retry, circuitbreaker]
          circuit-breaker:
            gateway:
              failure-rate-threshold: 50
              open-duration: 10
              minimum-calls: 0
              half-open.max-concurrent: many
          bulkhead:
            reports.extends: nothing
          idempotency-store.type: jdcb
        """;

    @Test
    void thoseOfPropertiesAndOfMethodsTogether() {
        Printed printed = fail(PROPERTIES, Shop.class)
                .says(
                        "There are 13 problems",
                        "resilience.retries.payments.max-attempts",
                        "resilience.retries.payments.max-duration",
                        "extends 'nothing', which does not exist",
                        "'jdcb' is none of the values",
                        "for 50.0 percent write 0.5",
                        "10s or 10ms?",
                        "minimum-calls",
                        "'many' is not a whole number",
                        "'circuitbreaker' is not a layer",
                        "[idempotent, bulkhead, circuit-breaker, time-limit] is missing",
                        "names the retry policy 'payments'",
                        "The fallback method 'nothing'",
                        "'#missing' is no argument",
                        "secret() is annotated with @Retryable but is private")
                .advises("Did you mean 'retry.payments.max-attempts'?", "Write 10s or 10ms.");

        assertThat(numbersIn(printed.description())).isEqualTo(numbersIn(printed.action()));
    }

    private static String numbersIn(String text) {
        return Pattern.compile("(?m)^\\((\\d+)\\)")
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .toList()
                .toString();
    }

    @Test
    void theMostProbableCausesFirst() {
        assertThat(fail(PROPERTIES, Shop.class).description())
                .containsSubsequence(
                        "Keys:",
                        "resilience.retries.payments",
                        "Policies and what they start from:",
                        "'nothing'",
                        "Values:",
                        "minimum-calls",
                        "Policy names in annotations:",
                        "'payments'",
                        "Annotated methods:");
    }

    @Test
    void aNameWithADotAndWithoutBracketsAndTheMethodThatNamesIt() {
        fail("resilience.retry.OrderService.place.max-attempts: 4", NamesPlace.class)
                .says("There are 2 problems")
                .advises("write it in brackets, because it has a dot: \"[OrderService.place]\"");
    }

    @Test
    void valuesOfAPolicyThatExtendsWhatDoesNotExistAreToldAsWell() {
        fail("""
                        resilience.retry:
                          payments: {extends: interactiv, max-attempts: 0, max-duration: 5}
                          refunds: {extends: payments, backoff.base-delay: 1h}
                          loop: {extends: loop, max-retry-after: soon}
                        """, NamesPayments.class)
                .says(
                        "There are 5 problems",
                        "extends 'interactiv', which does not exist",
                        "loop -> loop",
                        "'soon' is not a valid duration",
                        "Value: 0",
                        "5s or 5ms?")
                .advises("Did you mean 'interactive'?");
    }

    @Test
    void aPolicyThatExtendsWhatDoesNotExistIsNotCustomized() {
        fail("""
                        resilience.retry:
                          payments: {extends: interactiv}
                          refunds: {extends: intractive, max-attempts: 0}
                        """, NeedsItsPreset.class)
                .says(
                        "There are 3 problems",
                        "extends 'interactiv', which does not exist",
                        "extends 'intractive', which does not exist",
                        "Value: 0");
    }

    static class NeedsItsPreset implements PolicyCustomizer<RetryPolicy> {

        @Override
        public RetryPolicy customize(String name, RetryPolicy policy) {
            return name.equals("default")
                    ? policy
                    : RetryPolicy.builder()
                            .maxAttempts(3 - policy.maxAttempts())
                            .build();
        }
    }

    @Test
    void aMethodThatNamesABrokenPolicyIsNoProblemOfItsOwn() {
        assertThat(fail("resilience.retry.payments.max-attempts: 0", NamesPayments.class)
                        .description())
                .contains("must be at least 1")
                .doesNotContain("NamesPayments");
    }

    @Test
    void aMethodThatNamesOneOfTwoSpellingsIsNoProblemOfItsOwn() {
        assertThat(fail("resilience.retry: {pay-ments.max-attempts: 4, payments.max-attempts: 3}", NamesPayments.class)
                        .description())
                .contains("differ by dashes and case only")
                .doesNotContain("NamesPayments");
    }

    @Test
    void ofOneMethod() {
        fail(WrongInEveryWay.class)
                .says("There are 3 problems", "retry policy 'a'", "circuit-breaker policy 'b'", "fallback method 'c'");
    }

    @Test
    void ofOneIdempotentMethod() {
        fail(WrongIdempotent.class)
                .says(
                        "There are 6 problems",
                        "names the idempotency policy 'orders'",
                        "The key expression \"#missing\"",
                        "The key expression \"#order.\"",
                        "could not be read back as java.lang.Object",
                        "Argument 1 of the @Idempotent method",
                        "Argument 2 of the @Idempotent method");
    }

    @Test
    void ofAReturnTypeAndOfPolicies() {
        fail(Late.class).says("There are 3 problems", "java.util.concurrent.Callable", "'a'", "'b'");
    }

    @Test
    void ofAMethodThatNoProxyInterceptsAndOfItsAnnotations() {
        fail(PrivateAndWrong.class)
                .says(
                        "There are 3 problems",
                        "names the retry policy 'missing'",
                        "'#id' is no argument",
                        "pay(java.lang.String) is annotated with @Idempotent, @Retryable but is private");
    }

    @Test
    void ofOneListOfClasses() {
        fail("resilience.retry.payments.retry-on: [com.acme.NoSuch, com.acme.AlsoNot]")
                .says("There are 2 problems", "'com.acme.NoSuch'", "'com.acme.AlsoNot'");
        fail("resilience.idempotency.payments.replay-exceptions: [" + NoText.class.getName() + ", "
                        + AlsoNoText.class.getName() + "]")
                .says("each of " + NoText.class.getName() + ", " + AlsoNoText.class.getName()
                        + " needs a public constructor");
    }

    @Test
    void ofAFinalClassAndOfItsPolicy() {
        fail("resilience.retry.payments.max-attempts: 0", FinalClass.class)
                .says("There are 2 problems", "must be at least 1", "is in a final class");
    }

    @Test
    void inALazyApplication() {
        fail("spring.main.lazy-initialization: true\nresilience.retry.payments.max-atempts: 5", Private.class)
                .says("There are 2 problems", "max-atempts", "is private");
    }

    @Test
    void ofBeansThatAreMadeLater() {
        fail("resilience.retry.payments.max-atempts: 5", LazyShop.class)
                .says("There are 2 problems", "max-atempts", "the retry policy 'missing'");
    }

    @Test
    void aCallBeforeTheEndOfTheStartupDoesNotRunUnderDefaults() {
        CallsEarly.calls = 0;
        fail(
                        "resilience.retry.payments.max-attempts: 0\nresilience.bulkhead.any.max-queu: 1",
                        NamesPayments.class,
                        CallsEarly.class)
                .says("There are 2 problems", "max-queu", "must be at least 1");
        assertThat(CallsEarly.calls).isZero();
    }

    @Test
    void whatWasFoundIsNotLostWhenAnotherBeanFailsFirst(CapturedOutput output) {
        assertThatThrownBy(() -> application(NamesRegistry.class, Fails.class)
                        .run("--resilience.retry.payments.max-attempts=0", "--spring.main.banner-mode=off"))
                .isNotInstanceOf(ResilienceConfigurationException.class)
                .hasRootCauseMessage("no server");
        assertThat(output).contains("would not have started either because of this:", "must be at least 1");
    }

    static class Shop {

        @Retryable("payments")
        @CircuitBreaker("gateway")
        void sell() {}

        @Retryable("default")
        @SuppressWarnings("unused")
        private void secret() {}

        @Idempotent(key = "#missing")
        String book(String order) {
            return order;
        }

        @Fallback("nothing")
        void refund() {}
    }

    static class NamesPayments {

        @Retryable("payments")
        void pay() {
            CallsEarly.calls++;
        }
    }

    static class NamesPlace {

        @Retryable("OrderService.place")
        void place() {}
    }

    static class WrongInEveryWay {

        @Retryable("a")
        @CircuitBreaker("b")
        @Fallback("c")
        void pay() {}
    }

    static class WrongIdempotent {

        @Idempotent(value = "orders", key = "#missing")
        public String cancel(String order) {
            return order;
        }

        @Idempotent(key = "#order.")
        public Object order(String order, InputStream first, InputStream second) {
            return order;
        }
    }

    static class Late {

        @Idempotent(value = "a", key = "#order")
        @Retryable("b")
        public Callable<String> order(String order) {
            return () -> order;
        }
    }

    static class PrivateAndWrong {

        @Idempotent(key = "#id")
        @Retryable("missing")
        @SuppressWarnings("unused")
        private String pay(String order) {
            return order;
        }
    }

    public static final class NoText extends RuntimeException {}

    public static final class AlsoNoText extends RuntimeException {}

    static final class FinalClass {

        @Retryable("payments")
        void pay() {}
    }

    /** Lets the properties be read before the next bean is made. */
    static class NamesRegistry {

        NamesRegistry(ResilienceRegistry registry) {}
    }

    static class Private {

        @Retryable("default")
        @SuppressWarnings("unused")
        private void pay() {}
    }

    @Lazy
    static class LazyShop {

        @Retryable("missing")
        void pay() {}
    }

    static class CallsEarly {

        private static int calls;

        private final NamesPayments payments;

        CallsEarly(NamesPayments payments) {
            this.payments = payments;
        }

        @PostConstruct
        void call() {
            payments.pay();
        }
    }

    static class Fails {

        Fails(NamesRegistry made) {
            throw new IllegalStateException("no server");
        }
    }
}
