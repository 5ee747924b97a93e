package dev.resilience.spring.idempotency.redis;

import static dev.resilience.spring.idempotency.redis.Claims.LONG;
import static dev.resilience.spring.idempotency.redis.Claims.acquire;
import static dev.resilience.spring.idempotency.redis.Claims.assertCompleted;
import static dev.resilience.spring.idempotency.redis.Claims.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.spring.StartupWarnings;
import io.lettuce.core.ReadFrom;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A driver that reads from replicas, and a replica that has lost its master and knows nothing. */
class ReplicaTests {

    @RegisterExtension
    static final TestRedis MASTER = new TestRedis();

    @RegisterExtension
    static final TestRedis REPLICA = new TestRedis("replicaof 127.0.0.1 1");

    private LettuceConnectionFactory connections;

    @BeforeEach
    void connect() {
        MASTER.flush();
        RedisStaticMasterReplicaConfiguration servers =
                new RedisStaticMasterReplicaConfiguration("127.0.0.1", MASTER.port());
        servers.addNode("127.0.0.1", REPLICA.port());
        connections = new LettuceConnectionFactory(
                servers,
                LettuceClientConfiguration.builder().readFrom(ReadFrom.REPLICA).build());
        connections.afterPropertiesSet();
    }

    @AfterEach
    void disconnect() {
        connections.destroy();
    }

    @Test
    void isNeverAsked() {
        RedisIdempotencyStore store = new RedisIdempotencyStore(connections, TestRedis.PREFIX, new StartupWarnings());
        store.complete(acquire(store, "key"), result("ok"), LONG);

        assertCompleted(store, "key", result("ok"));
        assertThat(store.find(new RecordSelection("key", Set.of("operation"), null)))
                .hasSize(1);
        assertThat(store.find(new RecordSelection("key", Set.of("operation"), "caller")))
                .hasSize(1);
        try (RedisConnection connection = connections.getConnection()) {
            assertThat(connection.keyCommands().randomKey())
                    .as("what the driver reads by itself")
                    .isNull();
        }
    }
}
