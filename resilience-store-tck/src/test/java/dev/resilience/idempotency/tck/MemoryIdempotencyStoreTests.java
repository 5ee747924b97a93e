package dev.resilience.idempotency.tck;

import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;

class MemoryIdempotencyStoreTests extends IdempotencyStoreContract {

    private final ManualTimeSource time = new ManualTimeSource();

    @Override
    protected IdempotencyStore emptyStore() {
        return new MemoryIdempotencyStore(time);
    }

    @Override
    protected void letPass(Duration duration) {
        time.advance(duration);
    }
}
