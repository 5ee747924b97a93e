package dev.resilience.spring.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies that start from what they cannot start from. */
class ExtendsFailTests extends FailingStartup {

    @Test
    void anUnknownPolicyIsAnsweredWithTheNearestOnes() {
        fail("""
            resilience:
              retry:
                payments:
                  extends: standart
                invoices: {}
            """)
                .says("The retry policy 'payments' extends 'standart', which does not exist")
                .blames("resilience.retry.payments.extends", "standart", 4)
                .advises("Did you mean 'standard'?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"circuit-breaker", "bulkhead", "time-limit", "idempotency", "retry-budget"})
    void presetsAreForRetriesOnly(String kind) {
        fail("""
            resilience:
              %s:
                payments:
                  extends: standard
            """.formatted(kind))
                .says("The " + kind + " policy 'payments' extends 'standard', which does not exist")
                .advises("Known are: 'default'.");
    }

    @Test
    void eachOther() {
        fail("""
            resilience:
              retry:
                payments:
                  extends: invoices
                invoices:
                  extends: payments
            """)
                .says("in a circle: invoices -> payments -> invoices", "extends", "application.yaml] - 6:")
                .advises("Remove one 'extends' under 'resilience.retry'.");
    }

    @Test
    void themselves() {
        fail("resilience.bulkhead.payments.extends: payments")
                .says("in a circle: payments -> payments")
                .blames("resilience.bulkhead.payments.extends", "payments", 1);
    }

    @Test
    void thePolicyThatStartsFromThemBecauseItStartsFromDefault() {
        fail("""
            resilience:
              circuit-breaker:
                default:
                  extends: payments
                payments:
                  failure-threshold: 3
            """)
                .says("in a circle: default -> payments -> default", "without 'extends' starts from 'default'")
                .blames("resilience.circuit-breaker.default.extends", "payments", 4);
    }

    @Test
    void aBudgetThatDoesNotExist() {
        fail("""
            resilience:
              retry-budget:
                shared:
                  max-ratio: 0.2
              retry:
                payments:
                  budget: sharde
            """)
                .blames("resilience.retry.payments.budget", "sharde", 7)
                .says("there is no 'resilience.retry-budget.sharde'")
                .advises("Did you mean 'shared'?");
    }

    @Test
    void aBudgetThatDoesNotExistInThePolicyThatOthersStartFrom() {
        fail("""
            resilience.retry:
              default:
                budget: shared
              payments: {}
            """).blames("resilience.retry.default.budget", "shared", 3);
    }
}
