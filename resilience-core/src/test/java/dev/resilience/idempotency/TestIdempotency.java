package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.fault.FaultClassification;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import dev.resilience.time.ManualTimeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** An idempotency policy on manual time and a store in memory, and short words for calls through it. */
final class TestIdempotency {

    final ManualTimeSource time = new ManualTimeSource();
    final List<ResilienceEvent> events = Collections.synchronizedList(new ArrayList<>());
    final AtomicInteger executions = new AtomicInteger();
    final TextOperation operation = new TextOperation(TextOperation.NAME, "");
    final MemoryIdempotencyStore memory;
    final UnreliableStore store;
    final Idempotency idempotency;
    private final CallMode mode;

    TestIdempotency(CallMode mode) {
        this(mode, IdempotencyPolicy.defaults());
    }

    TestIdempotency(CallMode mode, IdempotencyPolicy policy) {
        this.mode = mode;
        this.memory = new MemoryIdempotencyStore(time);
        this.store = new UnreliableStore(memory);
        EventPublisher heard = new EventPublisher();
        heard.add(events::add);
        this.idempotency = new Idempotency(
                "orders",
                policy,
                store,
                new Environment(time, heard, FaultClassification.ofJdk(), ContextCarrier.standard()));
    }

    /** Makes a call that must have ended when it returns. */
    @Nullable
    Object call(@Nullable String key, String payload, Callable<?> body) throws Throwable {
        return call(operation, key, payload, body);
    }

    @Nullable
    Object call(TextOperation other, @Nullable String key, String payload, Callable<?> body) throws Throwable {
        return mode.invoke(pipeline(idempotency, other), invocation(key, payload, () -> {
            executions.incrementAndGet();
            return body.call();
        }));
    }

    /** A call with the key {@code "key"} that returns this. */
    @Nullable
    Object call(String result) throws Throwable {
        return call("key", "payload", () -> result);
    }

    /** Such a call, to be refused. */
    ThrowingCallable calling(String key, String payload) {
        return () -> call(key, payload, () -> "second");
    }

    ThrowingCallable calling() {
        return calling("key", "payload");
    }

    /** An asynchronous call with the key {@code "key"} that ends when its body does. */
    InFlight start() {
        return start(idempotency);
    }

    /**
     * Such a call in a process that stops at once: time does not pass there, so it renews nothing, but its body can
     * still end.
     */
    InFlight startInAProcessThatStops() {
        return start(new Idempotency("orders", idempotency.policy(), store, Environment.of(new ManualTimeSource())));
    }

    private InFlight start(Idempotency where) {
        CompletableFuture<@Nullable Object> body = new CompletableFuture<>();
        AtomicInteger began = new AtomicInteger();
        CompletableFuture<@Nullable Object> answer = pipeline(where, operation)
                .invokeAsync(invocation("key", "payload", () -> {
                    executions.incrementAndGet();
                    began.incrementAndGet();
                    return body;
                }));
        return new InFlight(body, answer, began, where);
    }

    record InFlight(
            CompletableFuture<@Nullable Object> body,
            CompletableFuture<@Nullable Object> answer,
            AtomicInteger began,
            Idempotency where) {

        boolean isRunning() {
            return began.get() == 1 && !answer.isDone();
        }

        void succeed(String result) {
            body.complete(result);
            assertThat(answer).isCompletedWithValue(result);
        }

        void fail(Throwable failure) {
            body.completeExceptionally(failure);
            assertThat(refusal()).isSameAs(failure);
        }

        Throwable refusal() {
            assertThat(answer).isCompletedExceptionally();
            return answer.handle((result, thrown) -> thrown).join();
        }

        long counted(IdempotencyOutcome outcome) {
            return where.calls().get(outcome);
        }
    }

    static Pipeline pipeline(Idempotency idempotency, IdempotentOperation operation) {
        return Pipeline.of(idempotency.protecting(operation));
    }

    static Invocation invocation(@Nullable String key, Object payload, Callable<?> body) {
        return new Invocation() {
            @Override
            public @Nullable Object proceed() throws Exception {
                return body.call();
            }

            @Override
            public @Nullable Object[] arguments() {
                return new Object[] {key, payload};
            }
        };
    }

    /** Asserts the outcomes counted, all of them. */
    void assertCounted(IdempotencyOutcome... expected) {
        CountedOutcomes.assertCounted(idempotency, expected);
    }

    void assertExecutions(int expected) {
        assertThat(executions).as("executions").hasValue(expected);
    }
}
