package dev.resilience.policy;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.function.Supplier;

/** A policy that cannot be made, and what its maker is told: the key as written in YAML, the value and the cure. */
record Refusal(String key, Object value, String cure, Supplier<?> making) {

    void verify() {
        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(making::get)
                .withMessage(key + " = " + value + ": " + cure)
                .returns(key, InvalidPolicyException::key)
                .returns(value.toString(), refused -> String.valueOf(refused.value()))
                .returns(cure, InvalidPolicyException::requirement);
    }

    @Override
    public String toString() {
        return key + " = " + value;
    }
}
