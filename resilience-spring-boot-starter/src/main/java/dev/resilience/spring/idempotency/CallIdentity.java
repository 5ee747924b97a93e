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
    private final @Nullable String key;
    private final @Nullable RuntimeException refusal;

    private CallIdentity(String caller, @Nullable String key, @Nullable RuntimeException refusal) {
        this.caller = caller;
        this.key = key;
        this.refusal = refusal;
    }

    /** Asks the current thread. What refuses the call is thrown when the call is claimed, and not here. */
    public static CallIdentity of(IdempotentOperation operation, @Nullable Object[] arguments) {
        try {
            String key = operation.key(new Arguments(arguments));
            return new CallIdentity(key == null ? "" : operation.callerScope(), key, null);
        } catch (RuntimeException refusal) {
            return new CallIdentity("", "", refusal);
        }
    }

    String caller() {
        refuse();
        return caller;
    }

    /** {@code null} if the call has none and needs none. */
    @Nullable
    String key() {
        refuse();
        return key;
    }

    private void refuse() {
        if (refusal != null) {
            throw refusal;
        }
    }

    /** All that a key is made of. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Arguments(@Nullable Object[] arguments) implements Invocation {

        @Override
        public Object proceed() {
            throw new UnsupportedOperationException();
        }
    }
}
