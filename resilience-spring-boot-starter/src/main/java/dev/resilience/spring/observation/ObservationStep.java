package dev.resilience.spring.observation;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import dev.resilience.spring.observation.ObservedMethods.ObservedMethod;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Around all other steps: observes the call until its caller has the answer. */
final class ObservationStep extends Step {

    private final Step next;
    private final ObservedMethod method;

    ObservationStep(Step next, ObservedMethod method) {
        this.next = next;
        this.method = method;
    }

    @Override
    @SuppressWarnings("NullAway") // the method may return null
    public @Nullable Object call(Invocation invocation) throws Throwable {
        ObservedCall call = method.observe(invocation);
        if (call == null) {
            return next.call(invocation);
        }
        try {
            Object result = call.run(() -> next.call(invocation));
            call.ended(null);
            return result;
        } catch (Throwable failure) {
            call.ended(failure);
            throw failure;
        }
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        ObservedCall call = method.observe(invocation);
        return call == null
                ? next.callAsync(invocation)
                : new ObservedFuture(call, call.run(() -> next.callAsync(invocation)));
    }

    /** Ends the observation before what others do with the answer. An end that comes from outside ends the call itself. */
    private static final class ObservedFuture extends CompletableFuture<@Nullable Object> {

        private final ObservedCall call;
        private final CompletableFuture<@Nullable Object> answer;

        @SuppressWarnings("FutureReturnValueIgnored") // its end is handled
        ObservedFuture(ObservedCall call, CompletableFuture<@Nullable Object> answer) {
            this.call = call;
            this.answer = answer;
            answer.handle((result, failure) -> {
                call.ended(failure);
                return failure == null ? super.complete(result) : super.completeExceptionally(failure);
            });
        }

        /** As a subscriber does that cancels. */
        @Override
        public boolean complete(@Nullable Object value) {
            call.isCancelled |= !answer.isDone();
            return answer.complete(value);
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            return answer.completeExceptionally(failure);
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            call.isCancelled |= !answer.isDone();
            return answer.cancel(mayInterruptIfRunning) || isCancelled();
        }
    }
}
