package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.StartupWarnings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Bindings that cannot work, or that do nothing. */
class BindingsFailTests extends FailingStartup {

    private static final String HERE = "dev.resilience.spring.autoconfigure.BindingsFailTests.";

    private static final String POLICIES = """
        resilience:
          retry.payments.max-attempts: 5
          bulkhead.payments.max-concurrent: 5
          bindings:
        """;

    private static String binding(String pointcut, String... keys) {
        return POLICIES + "  - pointcut: \"" + pointcut + "\"\n"
                + String.join(
                        "",
                        java.util.Arrays.stream(keys)
                                .map(key -> "    " + key + "\n")
                                .toList());
    }

    @Test
    void anExpressionThatDoesNotParseIsRefusedWithItsPosition() {
        fail(binding("execution(* com.example..*(..)", "retry: payments"))
                .says("'resilience.bindings[0].pointcut' is no pointcut", "at character position", "^")
                .blames("resilience.bindings[0].pointcut", "execution(* com.example..*(..)", 5)
                .advises("Write an AspectJ expression");
        Map.of(
                        "execution(* a()) &&", 19,
                        "execution(* a()) and", 17,
                        "((execution(* a()))", 19,
                        "execution( a", 12,
                        "execution(* a()) AND !execution(* b())", 17,
                        "execution(* a()) !execution(* b())", 17,
                        "execution(* a()))", 16,
                        "execution(* a()) and execution(* b()))", 37)
                .forEach((pointcut, position) -> fail(binding(pointcut, "retry: payments"), Plain.class)
                        .says("is no pointcut: ", " at character position " + position + "\n"));
        fail(binding("execution(* a()) | execution(* b())", "retry: payments"))
                .says("'resilience.bindings[0].pointcut' is no pointcut");
    }

    @Test
    void aTypeThatDoesNotExistIsRefused() {
        fail(binding("execution(* com.example.Missing.pay(..))", "retry: payments"))
                .says("'resilience.bindings[0].pointcut' is no pointcut", "com.example.Missing");
    }

    @Test
    void whatBeansAndCallsAloneDecideIsRefused() {
        for (String pointcut : new String[] {"bean(orders)", "!bean(orders)", "within(com..*) and args(x)"}) {
            fail(binding(pointcut, "retry: payments"), Plain.class)
                    .says("'resilience.bindings[0].pointcut' uses bean() or args()");
        }
    }

    @Test
    void anUnknownPolicyIsRefusedOnceWhetherTheExpressionMatchesOrNot() {
        String yaml = binding("within(" + HERE + "*)", "retry: paymets")
                + "  - {pointcut: within(com..*), bulkhead: paymens}\n";
        Printed printed = fail(yaml, Plain.class)
                .says("'resilience.bindings[0].retry' names the retry policy 'paymets'")
                .says("'resilience.bindings[1].bulkhead' names the bulkhead policy 'paymens'")
                .blames("resilience.bindings[0].retry", "paymets", 6)
                .advises(
                        "Correct the name in 'resilience.bindings[0].retry', or configure the policy under 'resilience.retry.paymets'. Did you mean 'payments'?");
        assertThat(printed.description()).contains("There are 2 problems").doesNotContain("Plain");
    }

    @Test
    void aBindingNeedsAPointcutAndAPolicy() {
        fail(POLICIES + "  - retry: payments\n")
                .says("'resilience.bindings[0].retry' stands without a pointcut")
                .blames("resilience.bindings[0].retry", "payments", 5)
                .advises("Write both");
        fail(binding("within(com..*)"))
                .says("'resilience.bindings[0].pointcut' stands without a policy")
                .blames("resilience.bindings[0].pointcut", "within(com..*)", 5);
    }

    @Test
    void unknownKeysAreRefused() {
        fail(binding("within(com..*)", "retri: payments"))
                .says("'resilience.bindings[0].retri' is no key of a binding")
                .blames("resilience.bindings[0].retri", "payments", 6)
                .advises("'pointcut', 'retry', 'circuit-breaker', 'bulkhead' or 'time-limit'");
        Printed idempotency = fail(binding("within(com..*)", "retry: payments", "idempotency: default"))
                .blames("resilience.bindings[0].idempotency", "default", 7);
        assertThat(idempotency.action()).doesNotContain("'idempotency'").contains("'retry'");
        fail("resilience.bindings.orders: {pointcut: within(com..*), retry: default}")
                .says("resilience.bindings.orders.pointcut");
        fail("resilience.bindings: within(com..*)").blames("resilience.bindings", "within(com..*)", 1);
    }

    @Test
    void aFinalClassAndAFinalMethodAreRefusedAsAnnotatedOnesAre() {
        fail(binding("execution(* " + HERE + "Final.*(..))", "retry: payments"), Final.class)
                .blames(Final.class, "pay()")
                .says("is annotated with @Retryable by 'resilience.bindings[0].retry' but is in a final class")
                .advises("Make the class non-final", "leave it out of the pointcut");
        fail(binding("within(" + HERE + "*)", "retry: payments", "bulkhead: payments"), FinalMethod.class)
                .blames(FinalMethod.class, "pay()")
                .says(
                        "is annotated with @Bulkhead by 'resilience.bindings[0].bulkhead', @Retryable by 'resilience.bindings[0].retry' but is final")
                .advises("Make it non-final", "leave it out of the pointcut");
    }

    @Test
    void aReturnTypeThatCannotBeProtectedIsRefused() {
        fail(binding("within(" + HERE + "*)", "retry: payments"), Late.class)
                .blames(Late.class, "pay()")
                .says("java.util.concurrent.Future")
                .advises("leave it out of the pointcut");
    }

    @Test
    void aPlaceholderThatCannotBeResolvedIsRefused() {
        fail(binding("within(${missing})", "retry: payments")).says("is no pointcut", "within(${missing})");
        fail(binding("within(com..*)", "retry: ${missing}")).says("'resilience.bindings[0].retry' names", "${missing}");
    }

    @Test
    void weavingIsRefused() {
        fail(binding("within(com..*)", "retry: payments") + "  advice-mode: aspectj\n")
                .blames("resilience.advice-mode", "aspectj", 7)
                .says("'resilience.bindings'");
    }

    @Test
    void anExpressionThatMatchesNothingIsAWarning() {
        assertThat(warnings(binding("execution(* pax(..))", "retry: payments"), Plain.class))
                .anyMatch(warning -> warning.contains("'resilience.bindings[0].pointcut'")
                        && warning.contains("matches no method")
                        && warning.contains("[binding-without-method]")
                        && warning.contains("execution(* pax(..))"));
        assertThat(warnings(binding("execution(* pay(..))", "retry: payments"), Plain.class))
                .noneMatch(warning -> warning.contains("bindings"));
        assertThat(warnings("resilience.bindings: []", Plain.class)).isEmpty();
    }

    @Test
    void environmentVariablesConfigureBindings() {
        environment(Map.of(
                "RESILIENCE_BINDINGS_0_POINTCUT", "execution(* pay(..))",
                "RESILIENCE_BINDINGS_0_CIRCUITBREAKER", "default",
                "RESILIENCE_BINDINGS_0_TIME_LIMIT", "default"));
        try (ConfigurableApplicationContext context =
                start(binding("within(com..*)", "retry: payments"), Plain.class)) {
            LiveRegistry registry = context.getBean(LiveRegistry.class);
            assertThat(registry.usedBy("circuit-breaker", "default")).containsExactly("Plain.pay()");
            assertThat(registry.usedBy("time-limit", "default")).containsExactly("Plain.pay()");
            assertThat(registry.usedBy("retry", "payments")).isEmpty();
        }
    }

    private java.util.List<String> warnings(String yaml, Class<?>... beans) {
        try (ConfigurableApplicationContext context = start(yaml, beans)) {
            return context.getBean(StartupWarnings.class).all();
        }
    }

    static class Plain {

        public void pay() {}
    }

    static final class Final {

        public void pay() {}
    }

    static class FinalMethod {

        public final void pay() {}
    }

    static class Late {

        public java.util.concurrent.Future<String> pay() {
            return new java.util.concurrent.FutureTask<>(() -> "paid");
        }
    }
}
