package dev.resilience.messaging;

import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.time.TimeSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;

/** A store that does not answer the first two calls. */
final class FailingStore {

    private final AtomicInteger claims = new AtomicInteger();

    @Bean
    IdempotencyStore store(TimeSource time) {
        IdempotencyStore memory = new MemoryIdempotencyStore(time, 1_000_000);
        return (IdempotencyStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {IdempotencyStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("claim") && claims.incrementAndGet() <= 2) {
                        throw new IllegalStateException("The store is down");
                    }
                    try {
                        return method.invoke(memory, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }
}
