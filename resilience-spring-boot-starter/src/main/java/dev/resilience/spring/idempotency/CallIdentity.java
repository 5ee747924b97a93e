package dev.resilience.spring.idempotency;

import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/**
 * Who makes a call, and its key, asked where the call was made. The thread on which an {@code @Async} method runs knows
 * neither the caller nor the request. Immutable.
 */
public final class CallIdentity {

    private final String caller;
    private final String key;
    private final @Nullable RuntimeException refusal;

    private CallIdentity(String caller, String key, @Nullable RuntimeException refusal) {
        this.caller = caller;
        this.key = key;
        this.refusal = refusal;
    }

    /** Asks the current thread. What refuses the call is thrown when the call is claimed, and not here. */
    public static CallIdentity of(IdempotentOperation operation, @Nullable Object[] arguments) {
        try {
            return new CallIdentity(operation.callerScope(), operation.key(new Arguments(arguments)), null);
        } catch (RuntimeException refusal) {
            return new CallIdentity("", "", refusal);
        }
    }

    String caller() {
        return answer(caller);
    }

    String key() {
        return answer(key);
    }

    private String answer(String known) {
        if (refusal != null) {
            throw refusal;
        }
        return known;
    }

    /** All that a key is made of. */
    private static final class Arguments implements Invocation {

        private final @Nullable Object[] arguments;

        Arguments(@Nullable Object[] arguments) {
            this.arguments = arguments;
        }

        @Override
        public @Nullable Object[] arguments() {
            return arguments;
        }

        @Override
        public Object proceed() {
            throw new UnsupportedOperationException();
        }
    }
}
