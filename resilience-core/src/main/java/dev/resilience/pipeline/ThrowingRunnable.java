package dev.resilience.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * Code that a {@link Pipeline} protects and that returns nothing. It may throw checked exceptions, which reach the caller
 * of the pipeline as what they are: the compiler infers {@code X}.
 *
 * @param <X> the checked exception that it throws; {@link RuntimeException} if it throws none
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // it is the invocation, so a call makes no object around it
public interface ThrowingRunnable<X extends Throwable> extends Invocation {

    void run() throws X;

    @Override
    default @Nullable Object proceed() throws X {
        run();
        return null;
    }
}
