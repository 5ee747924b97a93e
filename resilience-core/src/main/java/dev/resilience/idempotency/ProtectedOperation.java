package dev.resilience.idempotency;

import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;

/** The layer that runs one operation once per key, which {@link Idempotency#protecting} makes. */
public record ProtectedOperation(Idempotency idempotency, IdempotentOperation operation) implements Layer {

    @Override
    public Step around(Step next) {
        return new IdempotencyStep(idempotency, operation, next);
    }
}
