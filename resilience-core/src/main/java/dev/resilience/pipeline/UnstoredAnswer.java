package dev.resilience.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * On its way out to an idempotent call: a fallback's answer, which that call returns and never stores. Made only where a
 * fallback stands inside of an idempotent call, which unwraps it.
 *
 * @param value what the caller gets
 */
public record UnstoredAnswer(@Nullable Object value) {

    /** The result itself, whether it may be stored or not. */
    public static @Nullable Object unwrap(@Nullable Object result) {
        return result instanceof UnstoredAnswer answer ? answer.value() : result;
    }
}
