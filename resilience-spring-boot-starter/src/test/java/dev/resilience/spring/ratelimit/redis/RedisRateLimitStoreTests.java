package dev.resilience.spring.ratelimit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.ratelimit.RateLimitStore;
import dev.resilience.spring.idempotency.redis.TestRedis;
import dev.resilience.spring.ratelimit.RateLimitStoreContract;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.core.StringRedisTemplate;

class RedisRateLimitStoreTests extends RateLimitStoreContract {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private StringRedisTemplate redis;

    @Override
    protected RateLimitStore emptyStore() {
        REDIS.flush();
        redis = new StringRedisTemplate(REDIS.connections());
        return new RedisRateLimitStore(REDIS.connections(), "test:");
    }

    @Override
    protected void pass(String limit, Duration time) {
        redis.opsForValue().decrement("test:permits:" + limit, time.toMillis() * 1_000);
    }

    @Override
    protected void passForNodes(String limit, Duration time) {
        String key = "test:nodes:" + limit;
        redis.opsForZSet()
                .range(key, 0, -1)
                .forEach(node -> redis.opsForZSet().incrementScore(key, node, (double) -time.toMillis()));
    }

    @Test
    void aKeyGoesWhenAllPermitsAreBack() {
        RateLimitPolicy fast = RateLimitPolicy.builder().permits(1_000).build();
        store.take(request("limit", "someone", fast, 10, 0, Duration.ZERO, 0));
        assertThat(REDIS.keys()).hasSizeLessThanOrEqualTo(1).noneMatch(key -> key.contains("someone"));
        org.awaitility.Awaitility.await().until(() -> REDIS.keys().isEmpty());
    }
}
