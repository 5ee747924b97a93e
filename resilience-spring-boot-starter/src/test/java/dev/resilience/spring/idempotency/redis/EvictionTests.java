package dev.resilience.spring.idempotency.redis;

import static dev.resilience.spring.idempotency.redis.Claims.acquire;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.StartupWarnings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that may forget records is warned of, at the first claim. */
class EvictionTests {

    @RegisterExtension
    static final TestRedis EVICTING = new TestRedis("maxmemory-policy volatile-lru");

    @RegisterExtension
    static final TestRedis SAFE = new TestRedis("maxmemory-policy noeviction");

    @RegisterExtension
    static final TestRedis SILENT = new TestRedis("maxmemory-policy allkeys-lru", "rename-command CONFIG \"\"");

    private final StartupWarnings warnings = new StartupWarnings();

    @BeforeEach
    void setUp() {
        EVICTING.flush();
        SAFE.flush();
        SILENT.flush();
    }

    @Test
    void isWarnedOfOnce() {
        RedisIdempotencyStore store = store(EVICTING);
        assertThat(warnings.all()).isEmpty();

        acquire(store, "one");
        acquire(store, "two");

        assertThat(warnings.all())
                .singleElement()
                .asString()
                .contains("maxmemory-policy volatile-lru", "noeviction", "[redis-evicts]");
    }

    @Test
    void isNotWarnedOfWhereNothingIsEvicted() {
        acquire(store(SAFE), "key");

        assertThat(warnings.all()).isEmpty();
    }

    @Test
    void isNotWarnedOfWhereNobodyMayAsk() {
        acquire(store(SILENT), "key");

        assertThat(warnings.all()).isEmpty();
    }

    private RedisIdempotencyStore store(TestRedis redis) {
        return new RedisIdempotencyStore(redis.connections(), TestRedis.PREFIX, warnings);
    }
}
