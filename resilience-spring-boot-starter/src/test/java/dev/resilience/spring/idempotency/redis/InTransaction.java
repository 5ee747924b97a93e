package dev.resilience.spring.idempotency.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;

/** Does something while a transaction of Redis is open on the thread, and then takes the transaction back. */
record InTransaction(Runnable action) implements SessionCallback<@Nullable Object> {

    @Override
    public <K, V> @Nullable Object execute(RedisOperations<K, V> operations) {
        operations.multi();
        action.run();
        operations.discard();
        return null;
    }
}
