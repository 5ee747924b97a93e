package dev.resilience.spring.idempotency.simulation;

import dev.resilience.context.CallContext;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A time limit whose body runs on a worker that nothing can stop: it goes on when the call is over. */
final class OutlivedLayer implements Layer {

    private final World world;
    private final Machine machine;
    private final Duration limit;

    OutlivedLayer(World world, Machine machine, Duration limit) {
        this.world = world;
        this.machine = machine;
        this.limit = limit;
    }

    @Override
    public Step around(Step next) {
        return new Step() {
            @Override
            public @Nullable Object call(Invocation invocation) throws Throwable {
                return limited(next, invocation);
            }

            @Override
            public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
                return next.callAsync(invocation);
            }
        };
    }

    private @Nullable Object limited(Step next, Invocation invocation) throws Throwable {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        CallContext context = CallContext.current();
        world.baton().start("worker", machine, () -> {
            context.makeCurrent();
            try {
                result.complete(next.call(invocation));
            } catch (Exception failure) {
                result.completeExceptionally(failure);
            } catch (Error stopped) {
                throw stopped;
            } catch (Throwable impossible) {
                throw new AssertionError(impossible);
            }
        });
        world.baton().await(result::isDone, machine.after(limit));
        if (!result.isDone()) {
            world.baton().trace().task("does not wait any longer");
            world.weather().disturb();
            world.bodiesOverlap();
            throw new Failures.Passing();
        }
        return Futures.get(result);
    }
}
