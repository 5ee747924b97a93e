package dev.resilience.fallback;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/** What answers in place of a call that failed. */
public interface FallbackMethod {

    /** Whether this failure is one to answer for. */
    boolean answers(Throwable failure);

    /**
     * Answers.
     *
     * @return as the protected method. In an asynchronous call a {@link java.util.concurrent.CompletionStage} of the answer,
     *     or the answer itself
     */
    @Nullable
    Object answer(Invocation invocation, Throwable failure) throws Throwable;
}
