package dev.resilience.spring.idempotency.redis;

import dev.resilience.idempotency.store.IdempotencyStore;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisIdempotencyStoreTests extends RedisStoreContract {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    @Override
    protected IdempotencyStore emptyStore() {
        return REDIS.emptyStore();
    }
}
