package dev.resilience.spring.idempotency.redis;

import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.StartupWarnings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Through the other driver. */
class JedisIdempotencyStoreTests extends RedisStoreContract {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private static JedisConnectionFactory connections;

    @BeforeAll
    static void connect() {
        connections = new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", REDIS.port()));
        connections.afterPropertiesSet();
        connections.start();
    }

    @AfterAll
    static void disconnect() {
        connections.destroy();
    }

    /** On a server that does not know the scripts. */
    @Override
    protected IdempotencyStore emptyStore() {
        REDIS.flush();
        REDIS.forgetScripts();
        return new RedisIdempotencyStore(connections, TestRedis.PREFIX, new StartupWarnings());
    }
}
