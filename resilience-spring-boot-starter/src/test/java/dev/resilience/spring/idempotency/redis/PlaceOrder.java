package dev.resilience.spring.idempotency.redis;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** One idempotent method of one instance of an application, always called with the same key. */
final class PlaceOrder implements IdempotentOperation {

    private final Idempotency idempotency;
    private final Pipeline pipeline;

    PlaceOrder(IdempotencyStore store) {
        this(store, TimeSource.system());
    }

    PlaceOrder(IdempotencyStore store, TimeSource time) {
        this.idempotency = new Idempotency("orders", IdempotencyPolicy.defaults(), store, Environment.of(time));
        this.pipeline = Pipeline.of(idempotency.protecting(this));
    }

    String call(Callable<String> body) throws Exception {
        return pipeline.call(body::call);
    }

    long counted(IdempotencyOutcome outcome) {
        return idempotency.calls().get(outcome);
    }

    @Override
    public String name() {
        return "OrderService.place(Order)";
    }

    @Override
    public String key(Invocation invocation) {
        return "order-1";
    }

    @Override
    public String callerScope() {
        return "";
    }

    @Override
    public byte[] describe(@Nullable Object[] arguments) {
        return new byte[] {1};
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
