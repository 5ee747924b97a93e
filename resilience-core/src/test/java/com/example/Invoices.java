package com.example;

import dev.resilience.Resilience;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.time.TimeSource;
import java.util.List;

final class Invoices {

    private final Idempotency once;

    Invoices(Resilience resilience) {
        this.once = resilience.idempotency(
                "invoices", IdempotencyPolicy.defaults(), new MemoryIdempotencyStore(TimeSource.system()));
    }

    String send(String orderId, int amount) {
        return once.call(orderId, String.class, List.of(orderId, amount), () -> "invoice of " + orderId);
    }
}
