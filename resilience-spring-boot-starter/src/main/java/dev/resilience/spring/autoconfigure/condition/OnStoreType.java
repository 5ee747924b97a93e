package dev.resilience.spring.autoconfigure.condition;

import dev.resilience.spring.properties.GeneralProperties;
import dev.resilience.spring.properties.store.IdempotencyStoreProperties;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if {@code resilience.idempotency-store.type} is a certain one, or leaves the choice to the library. */
abstract class OnStoreType extends SpringBootCondition {

    private final IdempotencyStoreProperties.Type type;

    OnStoreType(IdempotencyStoreProperties.Type type) {
        this.type = type;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        IdempotencyStoreProperties.Type configured = GeneralProperties.read(context.getEnvironment())
                .idempotencyStore()
                .type();
        boolean matches = configured == type || configured == IdempotencyStoreProperties.Type.AUTO;
        return new ConditionOutcome(matches, ConditionMessage.of("resilience.idempotency-store.type is " + configured));
    }
}
