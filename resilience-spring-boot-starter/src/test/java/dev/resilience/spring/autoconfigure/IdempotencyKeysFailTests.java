package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.CallerScope;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.context.SecurityContextHolder;
import tools.jackson.databind.json.JsonMapper;

/** {@code @Idempotent} methods whose calls could not be told apart. */
class IdempotencyKeysFailTests extends FailingStartup {

    private static final String CURE = "Give @Idempotent either a key, such as key = \"#orderId\", or a header";

    @Test
    void withNeitherKeyNorHeader() {
        fail(NoKey.class)
                .blames(NoKey.class, "pay(java.lang.String)")
                .says("without a key")
                .advises(CURE);
    }

    @Test
    void withBothKeyAndHeader() {
        fail(Both.class)
                .blames(Both.class, "pay(java.lang.String)")
                .says("with both a key and a header")
                .advises(CURE);
    }

    @Nested
    class KeyExpressions {

        @Test
        void thatDoNotParse() {
            fail(Unparsable.class)
                    .blames(Unparsable.class, "pay(java.lang.String)")
                    .says("The key expression \"#order.\"", "does not parse")
                    .advises("Write a SpEL expression over the arguments");
        }

        @Test
        void withoutTheNumberSign() {
            fail(NoSign.class)
                    .blames(NoSign.class, "pay(java.lang.String)")
                    .says("\"orderId\"", "names no argument", "arguments are written with '#'", "#orderId")
                    .advises("\"#orderId\"");
        }

        @Test
        void thatAreLiterals() {
            fail(Literal.class)
                    .blames(Literal.class, "pay(java.lang.String)")
                    .says("\"'payment'\"", "names no argument");
        }

        @Test
        void withAMisspeltArgument() {
            fail(Misspelt.class)
                    .blames(Misspelt.class, "pay(java.lang.String, int)")
                    .says("\"#oderId\"", "'#oderId' is no argument", "#orderId", "#amount");
        }

        @Test
        void withSeveralMisspeltArguments() {
            fail(MisspeltTwice.class)
                    .blames(MisspeltTwice.class, "pay(java.lang.String, int)")
                    .says("'#oderId' is no argument; '#amuont' is no argument; arguments are: ", "#orderId");
        }

        @Test
        void withAVariableOfOtherLibraries() {
            fail(UnknownVariable.class)
                    .blames(UnknownVariable.class, "pay(java.lang.String)")
                    .says("'#ctx' is no argument", "#orderId");
        }

        @Test
        void thatReachBeyondTheArguments() {
            fail(Reaching.class)
                    .blames(Reaching.class, "pay(java.lang.String)")
                    .says("'T(java.lang.System)' is not available here");
        }

        @Test
        void ofAMethodWithoutParameters() {
            fail(NoParameters.class)
                    .blames(NoParameters.class, "pay()")
                    .says("none, because the method has no parameters");
        }
    }

    @Nested
    class Headers {

        @Test
        void whereNothingTellsCallersApart() {
            hide(SecurityContextHolder.class);
            fail("resilience.idempotency.payments.ttl: 1h", FromHeader.class)
                    .blames(FromHeader.class, "pay(java.lang.String)")
                    .says("from the header 'Idempotency-Key'", "nothing tells callers apart")
                    .advises(
                            "Add Spring Security or a bean of type CallerScope",
                            "'resilience.idempotency.payments.scope: none'");
        }

        @Test
        void doNotFailWhereTheScopeIsNone() {
            hide(SecurityContextHolder.class);
            start("resilience.idempotency.payments.scope: none", FromHeader.class)
                    .close();
        }

        @Test
        void doNotFailWithACallerScope() {
            hide(SecurityContextHolder.class);
            start("resilience.idempotency.payments.ttl: 1h", FromHeader.class, Callers.class)
                    .close();
        }
    }

    @Test
    void keysFromArgumentsNeedNobodyToTellCallersApart() {
        hide(SecurityContextHolder.class);
        start("", Works.class).close();
    }

    @Test
    void withoutJackson() {
        hide(JsonMapper.class);
        Printed printed = fail(Works.class).blames(Works.class, "pay(java.lang.String)");
        assertThat(printed.description()).contains("no Jackson 3 on the class path");
        printed.advises("Add 'org.springframework.boot:spring-boot-starter-jackson'");
    }

    static class NoKey {

        @Idempotent
        void pay(String orderId) {}
    }

    static class Both {

        @Idempotent(key = "#orderId", header = "Idempotency-Key")
        void pay(String orderId) {}
    }

    static class Unparsable {

        @Idempotent(key = "#order.")
        void pay(String order) {}
    }

    static class NoSign {

        @Idempotent(key = "orderId")
        void pay(String orderId) {}
    }

    static class Literal {

        @Idempotent(key = "'payment'")
        void pay(String orderId) {}
    }

    static class MisspeltTwice {

        @Idempotent(key = "#oderId + #amuont")
        int pay(String orderId, int amount) {
            return 0;
        }
    }

    static class Misspelt {

        @Idempotent(key = "#oderId")
        void pay(String orderId, int amount) {}
    }

    static class UnknownVariable {

        @Idempotent(key = "#orderId + #ctx.tenant")
        void pay(String orderId) {}
    }

    static class Reaching {

        @Idempotent(key = "#orderId + T(java.lang.System).nanoTime()")
        void pay(String orderId) {}
    }

    static class NoParameters {

        @Idempotent(key = "#orderId")
        void pay() {}
    }

    public static class FromHeader {

        @Idempotent(value = "payments", header = "Idempotency-Key")
        public void pay(String orderId) {}
    }

    public static class Works {

        @Idempotent(key = "#orderId")
        public void pay(String orderId) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Callers {

        @Bean
        CallerScope callers() {
            return () -> "me";
        }
    }
}
