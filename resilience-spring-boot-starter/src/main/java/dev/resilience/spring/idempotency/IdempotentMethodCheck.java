package dev.resilience.spring.idempotency;

import dev.resilience.idempotency.IdempotencyPolicy;
import java.lang.reflect.Method;

/** Looks at every idempotent method when its plan is made, and warns of what it does not keep. */
@FunctionalInterface
public interface IdempotentMethodCheck {

    /**
     * Looks at a method.
     *
     * @param name the method's full name, for messages
     * @param asynchronous whether it returns a stage
     */
    void check(Method method, Class<?> type, String name, IdempotencyPolicy policy, boolean asynchronous);
}
