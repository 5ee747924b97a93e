package dev.resilience.spring.kind;

import org.jspecify.annotations.Nullable;

/**
 * What an operator asks for by a {@code POST} to the actuator. A kind uses what its actions need.
 *
 * @param name one of the kind's actions
 * @param key the idempotency key
 * @param method the method; all that use the policy if {@code null}
 * @param caller who called; everybody if {@code null}
 * @param as what became of a call
 */
public record Action(
        String name,
        @Nullable String key,
        @Nullable String method,
        @Nullable String caller,
        @Nullable String as) {

    /** The action lacks what it needs. The message says what, the cure what to send. */
    public static final class RefusedException extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final String cure;

        public RefusedException(String message, String cure) {
            super(message);
            this.cure = cure;
        }

        public String cure() {
            return cure;
        }
    }
}
