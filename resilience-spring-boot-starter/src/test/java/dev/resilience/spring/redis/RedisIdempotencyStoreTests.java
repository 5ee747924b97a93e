package dev.resilience.spring.redis;

import dev.resilience.idempotency.IdempotencyStore;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisIdempotencyStoreTests extends RedisStoreContract {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    @Override
    protected IdempotencyStore emptyStore() {
        return REDIS.emptyStore();
    }
}
