package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Helper methods that the annotation on their type holds for, and does not fit: the cure is not the one of a method's own. */
class AnnotationsOnTypesFailTests extends FailingStartup {

    private static final String[] CURES = {
        "from its type: make it private", "annotate the other methods", "'enabled = false'"
    };

    @Test
    void aKeyThatTheHelperHasNoArgumentFor() {
        fail(Keys.class)
                .blames(Keys.class, "helper(int)")
                .says("'#orderId' is no argument")
                .advises(CURES)
                .advises("It has @Idempotent from");
    }

    @Test
    void aFallbackThatDoesNotMatchTheHelper() {
        fail(Answers.class)
                .blames(Answers.class, "helper(int)")
                .says("does not match it")
                .advises(CURES)
                .advises("It has @Fallback from");
    }

    @Test
    void aReturnTypeThatCannotBeProtected() {
        fail(Futures.class)
                .blames(Futures.class, "helper()")
                .says("java.util.concurrent.Future")
                .advises(CURES)
                .advises("It has @Retryable from");
    }

    @Test
    void theCuresLetTheApplicationStart() {
        start("", Cured.class).close();
    }

    @Test
    void aMethodsOwnAnnotationIsNotTakenForItsTypes() {
        assertThat(fail(OwnKey.class).action()).doesNotContain("from its type");
    }

    @Test
    void aMethodsOwnAnnotationIsNotTakenForItsTypesBesideOneThatIsSwitchedOff() {
        assertThat(fail("resilience.circuit-breaker.off.enabled: false", OwnKeyInType.class)
                        .action())
                .doesNotContain("from its type");
    }

    @Test
    void aPolicyNameThatIsMisspeltIsNoReasonToLeaveMethodsOut() {
        assertThat(fail("resilience.retry.gateway.max-attempts: 2", Misspelt.class)
                        .action())
                .contains("Did you mean 'gateway'?")
                .doesNotContain("from its type");
    }

    @Idempotent(key = "#orderId")
    static class Keys {

        public String place(String orderId) {
            return orderId;
        }

        String helper(int number) {
            return "";
        }
    }

    @Fallback("later")
    static class Answers {

        public String place(String orderId) {
            return orderId;
        }

        protected int helper(int number) {
            return number;
        }

        String later(String orderId) {
            return "later";
        }
    }

    @Retryable
    static class Futures {

        public String place(String orderId) {
            return orderId;
        }

        Future<String> helper() {
            throw new UnsupportedOperationException();
        }
    }

    @Idempotent(key = "#orderId")
    static class Cured {

        public String place(String orderId) {
            return orderId + hidden(1);
        }

        @Idempotent(enabled = false)
        String helper(int number) {
            return "";
        }

        private String hidden(int number) {
            return "" + number;
        }
    }

    static class OwnKey {

        @Idempotent(key = "#orderId")
        String helper(int number) {
            return "";
        }
    }

    @CircuitBreaker("off")
    static class OwnKeyInType {

        @Idempotent(key = "#orderId")
        String helper(int number) {
            return "";
        }
    }

    @Retryable("gatewya")
    static class Misspelt {

        public String place(String orderId) {
            return orderId;
        }
    }
}
