package dev.resilience.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** How a pipeline is called: what a policy promises for one it promises for all. */
public enum CallMode {
    /** On the caller's thread. */
    BLOCKING {
        @Override
        public @Nullable Object invoke(Pipeline pipeline, Invocation body) throws Throwable {
            return pipeline.invoke(body);
        }
    },
    /** Asynchronously, with a body that has its answer by the time it returns. */
    ANSWERED_AT_ONCE {
        @Override
        public @Nullable Object invoke(Pipeline pipeline, Invocation body) throws Throwable {
            return end(pipeline.invokeAsync(with(body, () -> {
                CompletableFuture<@Nullable Object> source = new CompletableFuture<>();
                answer(source, body);
                return source;
            })));
        }
    },
    /** Asynchronously, with a body that answers after the call has returned. */
    ANSWERED_LATER {
        @Override
        public @Nullable Object invoke(Pipeline pipeline, Invocation body) throws Throwable {
            AtomicReference<@Nullable CompletableFuture<@Nullable Object>> started = new AtomicReference<>();
            CompletableFuture<@Nullable Object> answer = pipeline.invokeAsync(with(body, () -> {
                CompletableFuture<@Nullable Object> source = new CompletableFuture<>();
                started.set(source);
                return source;
            }));
            CompletableFuture<@Nullable Object> source = started.get();
            if (source != null) {
                assertThat(answer).isNotDone();
                answer(source, body);
            }
            return end(answer);
        }
    };

    /** Makes a call that must have ended when it returns: its result, or the very failure that the caller gets. */
    public abstract @Nullable Object invoke(Pipeline pipeline, Invocation body) throws Throwable;

    /** As {@link #invoke}, for bodies without arguments. */
    @SuppressWarnings("unchecked") // a pipeline returns what the body returned
    public <T> T call(Pipeline pipeline, Callable<T> body) throws Throwable {
        return (T) invoke(pipeline, body::call);
    }

    private static Invocation with(Invocation arguments, Callable<Object> body) {
        return new Invocation() {
            @Override
            public Object proceed() throws Exception {
                return body.call();
            }

            @Override
            public @Nullable Object[] arguments() {
                return arguments.arguments();
            }
        };
    }

    private static void answer(CompletableFuture<@Nullable Object> source, Invocation body) {
        try {
            source.complete(body.proceed());
        } catch (Throwable failure) {
            source.completeExceptionally(failure);
        }
    }

    private static @Nullable Object end(CompletableFuture<@Nullable Object> answer) throws Throwable {
        assertThat(answer).isDone();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        answer.whenComplete((result, thrown) -> failure.set(thrown));
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw thrown;
        }
        return answer.join();
    }
}
