package dev.resilience.spring.idempotency.attempt;

import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A call that holds its key, and whose attempts and end a test brings about. */
final class RunningCall {

    final Idempotency idempotency;
    final TransactionalExecution execution;

    RunningCall(IdempotencyPolicy policy, IdempotencyStore store, TimeSource time, IdempotentOperation operation) {
        AtomicReference<TransactionalExecution> made = new AtomicReference<>();
        this.idempotency = new Idempotency(
                "orders",
                policy,
                store,
                Environment.of(time),
                record -> {
                    made.set(new TransactionalExecution(record));
                    return made.get();
                },
                (of, type) -> call -> next -> next);
        CompletableFuture<@Nullable Object> unused = Pipeline.of(idempotency.protecting(operation))
                .invokeAsync(new Invocation() {
                    @Override
                    public @Nullable Object proceed() {
                        return new CompletableFuture<>();
                    }

                    @Override
                    public @Nullable Object[] arguments() {
                        return new Object[0];
                    }
                });
        this.execution = made.get();
    }

    /** A method that returns texts. */
    static class TextOperation implements IdempotentOperation {

        static final String NAME = "OrderService.place(String)";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public String key(Invocation invocation) {
            return "key";
        }

        @Override
        public String callerScope() {
            return "";
        }

        @Override
        public byte[] describe(@Nullable Object[] arguments) {
            return new byte[0];
        }

        @Override
        public byte[] write(@Nullable Object result) {
            return String.valueOf(result).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Object read(byte[] content) {
            return new String(content, StandardCharsets.UTF_8);
        }
    }
}
