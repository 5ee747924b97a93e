package com.example;

import dev.resilience.Resilience;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.pipeline.Invocation;
import dev.resilience.retry.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

final class Orders {

    private final Resilience resilience;
    private final Idempotency once;

    Orders(Resilience resilience, IdempotencyStore store) {
        this.resilience = resilience;
        this.once = resilience.idempotency("orders", IdempotencyPolicy.defaults(), store);
    }

    String place(String orderId, Supplier<String> placing) {
        return resilience
                .pipeline("orders")
                .idempotent(once, new Placing(orderId))
                .retry(RetryPolicy.defaults())
                .build()
                .get(placing);
    }

    private record Placing(String orderId) implements IdempotentOperation {

        @Override
        public String name() {
            return "Orders.place"; // a key is unique within it
        }

        @Override
        public String key(Invocation invocation) {
            return orderId;
        }

        @Override
        public String callerScope() {
            return ""; // callers are not kept apart
        }

        @Override
        public byte[] describe(Object[] arguments) {
            return orderId.getBytes(StandardCharsets.UTF_8); // another order under this key is refused
        }

        @Override
        public byte[] write(Object receipt) {
            return receipt.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String read(byte[] stored) {
            return new String(stored, StandardCharsets.UTF_8);
        }
    }
}
