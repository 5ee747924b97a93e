package dev.resilience.spring.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless {@code resilience.enabled} is false; a value that is neither fails, for it must not switch off
 * quietly.
 */
final class OnEnabled extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean enabled = Binder.get(context.getEnvironment())
                .bind("resilience.enabled", Boolean.class)
                .orElse(true);
        return new ConditionOutcome(enabled, ConditionMessage.of("resilience.enabled is " + enabled));
    }
}
