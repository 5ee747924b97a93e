package dev.resilience.pipeline;

import dev.resilience.context.CallContext;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Stands for the code that made the call: the layers within see its context on the thread that calls. */
public record InContext(CallContext context) implements Layer {

    @Override
    public Step around(Step next) {
        return new Step() {
            @Override
            public @Nullable Object call(Invocation invocation) throws Throwable {
                CallContext before = CallContext.current();
                context.makeCurrent();
                try {
                    return next.call(invocation);
                } finally {
                    before.makeCurrent();
                }
            }

            @Override
            public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
                CallContext before = CallContext.current();
                context.makeCurrent();
                try {
                    return next.callAsync(invocation);
                } finally {
                    before.makeCurrent();
                }
            }
        };
    }
}
