package dev.resilience.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * Code that a {@link Pipeline} protects and that returns a value. It may throw checked exceptions, which reach the caller
 * of the pipeline as what they are: the compiler infers {@code X}.
 *
 * @param <T> what it returns
 * @param <X> the checked exception that it throws; {@link RuntimeException} if it throws none
 */
@FunctionalInterface
public interface ThrowingSupplier<T extends @Nullable Object, X extends Throwable> extends Invocation {

    T get() throws X;

    @Override
    default @Nullable Object proceed() throws X {
        return get();
    }
}
