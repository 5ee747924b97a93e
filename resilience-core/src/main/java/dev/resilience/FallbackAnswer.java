package dev.resilience;

import dev.resilience.fallback.FallbackMethod;
import dev.resilience.pipeline.Invocation;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A function that answers for failures of one type. */
record FallbackAnswer<F extends Throwable>(Class<F> type, Function<? super F, ? extends @Nullable Object> answer)
        implements FallbackMethod {

    @Override
    public boolean answers(Throwable failure) {
        return type.isInstance(failure);
    }

    @Override
    public @Nullable Object answer(Invocation invocation, Throwable failure) {
        return answer.apply(type.cast(failure));
    }
}
