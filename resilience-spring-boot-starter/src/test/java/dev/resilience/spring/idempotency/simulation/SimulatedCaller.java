package dev.resilience.spring.idempotency.simulation;

import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.idempotency.simulation.CallPlan.OuterEnd;
import dev.resilience.spring.idempotency.simulation.CallPlan.Style;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Makes a call on a node, again if it fails, and writes down what it is told. */
final class SimulatedCaller {

    private final World world;
    private final SimulatedNode node;
    private final CallPlan plan;

    SimulatedCaller(World world, SimulatedNode node, CallPlan plan) {
        this.world = world;
        this.node = node;
        this.plan = plan;
    }

    /** Until it has an answer, or has tried for long enough. */
    void callSometimes() {
        boolean answered = false;
        for (int i = 0; i < plan.tries() && !answered && !world.isHealed(); i++) {
            answered = call();
            sleep(BodyPlan.duration(world.baton()));
        }
    }

    /** Until it has an answer, which it must have in time. */
    void callUntilAnswered(long deadline) {
        while (!call()) {
            if (world.baton().now() > deadline) {
                world.history().violation("a key does not end in time: " + plan.key());
                return;
            }
            sleep(Duration.ofMillis(400));
        }
    }

    /** An owner that outlives the longest lease may be replaced although nothing went wrong. */
    private boolean call() {
        long longest = node.machine().after(world.policy().maxLease());
        boolean answered = callOnce(longest);
        disturbIfLate(longest);
        return answered;
    }

    private void disturbIfLate(long longest) {
        if (node.machine().after(Duration.ZERO) > longest) {
            world.weather().disturb();
        }
    }

    private boolean callOnce(long longest) {
        SimulatedOperation operation = new SimulatedOperation(plan.retried());
        RecordKey record = RecordKey.of(operation.name(), "", plan.key());
        int claims = world.watch().claims(record);
        world.baton().trace().task("calls " + plan.key() + " " + plan.style());
        try {
            Object value = plan.style().isCallers()
                    ? node.transactions().required(plan.isolation(), () -> withinTransaction(operation))
                    : invoke(operation);
            if (value != null) {
                told((String) value, operation.isReplay());
            }
            return value != null;
        } catch (Failures.Declined declined) {
            told(declined.getMessage(), operation.isReplay());
            return true;
        } catch (IdempotencyOutcomeUnknownException refusedForEver) {
            world.baton().trace().task("is refused for ever");
            return true;
        } catch (IdempotencyLeaseLostException lost) {
            world.baton().trace().task("loses its key");
            disturbIfLate(longest);
            if (String.valueOf(lost.getMessage()).contains("another one has taken")) {
                world.lostKey(plan, world.watch().claims(record) - claims);
            }
            return false;
        } catch (Exception failure) {
            world.baton().trace().task("gets " + failure.getClass().getSimpleName());
            return false;
        }
    }

    private void told(String value, boolean replay) {
        world.baton().trace().task("is told " + value + (replay ? " again" : ""));
        world.history().tell(plan.key(), SimulatedBody.valueOf(value), replay);
    }

    /** The caller's transaction. */
    private @Nullable Object withinTransaction(SimulatedOperation operation) throws Exception {
        Object value = null;
        if (plan.looksFirst()) {
            node.transactions().look(plan.key());
        }
        try {
            value = plan.style() == Style.CALLERS_NESTED
                    ? node.transactions().nested(() -> invoke(operation))
                    : invoke(operation);
        } catch (Exception failure) {
            if (plan.outerEnd() != OuterEnd.COMMITS_ANYWAY) {
                throw failure;
            }
            world.baton().trace().task("does not mind " + failure.getClass().getSimpleName());
        }
        sleep(plan.think());
        if (plan.outerEnd() == OuterEnd.FAILS) {
            throw new Failures.Passing();
        }
        return value;
    }

    private @Nullable Object invoke(SimulatedOperation operation) throws Exception {
        List<Layer> layers = new ArrayList<>(List.of(node.idempotency().protecting(operation)));
        if (plan.retried()) {
            layers.add(node.retry());
        }
        if (plan.timeLimit() != null) {
            layers.add(new OutlivedLayer(world, node.machine(), plan.timeLimit()));
        }
        Pipeline pipeline = Pipeline.of(layers);
        SimulatedInvocation invocation = new SimulatedInvocation(world, node, plan);
        node.countCall();
        try {
            return plan.style() == Style.STAGE ? await(pipeline.invokeAsync(invocation)) : pipeline.invoke(invocation);
        } catch (Exception | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    private @Nullable Object await(CompletableFuture<@Nullable Object> future) throws Exception {
        Duration patience = plan.cancelAfter();
        world.baton()
                .await(
                        future::isDone,
                        patience == null ? Long.MAX_VALUE : node.machine().after(patience));
        if (!future.isDone()) {
            world.baton().trace().task("cancels");
            world.weather().disturb();
            future.cancel(true);
            throw new CancellationException();
        }
        return Futures.get(future);
    }

    private void sleep(Duration duration) {
        world.baton().await(() -> false, node.machine().after(duration));
    }
}
