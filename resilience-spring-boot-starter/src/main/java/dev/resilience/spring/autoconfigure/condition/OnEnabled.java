package dev.resilience.spring.autoconfigure.condition;

import dev.resilience.spring.properties.GeneralProperties;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless {@code resilience.enabled} is false. A value that is neither true nor false must not switch off quietly:
 * it fails the startup later, with all other mistakes.
 */
public final class OnEnabled extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean enabled = GeneralProperties.isEnabled(context.getEnvironment());
        return new ConditionOutcome(enabled, ConditionMessage.of("resilience.enabled is " + enabled));
    }
}
