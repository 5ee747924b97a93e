package dev.resilience.spring.idempotency.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.spring.StartupWarnings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A cluster of two nodes. */
class ClusterIdempotencyStoreTests extends RedisStoreContract {

    private static final int SLOTS = 16_384;
    private static final List<RedisProcess> NODES =
            List.of(new RedisProcess("cluster-enabled yes"), new RedisProcess("cluster-enabled yes"));
    private static final RedisClient CLIENT = RedisClient.create();

    private static LettuceConnectionFactory connections;

    private final StartupWarnings warnings = new StartupWarnings();

    @BeforeAll
    static void start() {
        NODES.forEach(RedisProcess::start);
        for (int i = 0; i < NODES.size(); i++) {
            int first = i * SLOTS / NODES.size();
            int end = (i + 1) * SLOTS / NODES.size();
            on(
                    NODES.get(i),
                    node -> node.sync()
                            .clusterAddSlots(IntStream.range(first, end).toArray()));
        }
        on(
                NODES.get(0),
                node -> node.sync().clusterMeet("127.0.0.1", NODES.get(1).port()));
        NODES.forEach(each -> on(
                each,
                node -> await().until(
                                () -> node.sync().clusterInfo(),
                                info -> info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:2"))));
        connections = new LettuceConnectionFactory(
                new RedisClusterConfiguration(
                        List.of("127.0.0.1:" + NODES.get(0).port())),
                TestRedis.impatient().build());
        connections.afterPropertiesSet();
    }

    @AfterAll
    static void stop() {
        if (connections != null) {
            connections.destroy();
        }
        CLIENT.shutdown(Duration.ZERO, Duration.ZERO);
        NODES.forEach(RedisProcess::stop);
    }

    private static void on(RedisProcess node, Consumer<StatefulRedisConnection<String, String>> action) {
        try (var connection = CLIENT.connect(RedisURI.create("127.0.0.1", node.port()))) {
            action.accept(connection);
        }
    }

    @Override
    protected IdempotencyStore emptyStore() {
        try (RedisClusterConnection connection = connections.getClusterConnection()) {
            connection.serverCommands().flushAll();
        }
        return new RedisIdempotencyStore(connections, TestRedis.PREFIX, warnings);
    }

    @Test
    void recordsAreSpreadOverTheNodesAndFoundAgain() {
        for (int i = 0; i < 20; i++) {
            for (String caller : List.of("alice", "bob")) {
                RecordKey key = RecordKey.of("operation", caller, "key " + i);
                store.claim(new ClaimRequest(key, caller + i, "", Duration.ofHours(1), Duration.ofDays(1), true));
            }
        }

        try (RedisClusterConnection connection = connections.getClusterConnection()) {
            for (RedisClusterNode node : connection.clusterGetNodes()) {
                assertThat(connection.serverCommands().dbSize(node)).isPositive();
            }
        }
        for (int i = 0; i < 20; i++) {
            assertThat(store.find(new RecordSelection("key " + i, Set.of("operation"), null)))
                    .hasSize(2);
        }
    }

    @Test
    void aSingleNodeThatEvictsIsWarnedOf() {
        on(NODES.get(1), node -> node.sync().configSet("maxmemory-policy", "allkeys-lru"));
        try {
            store.claim(new ClaimRequest(
                    RecordKey.of("operation", "", "key"), "owner", "", Duration.ofHours(1), Duration.ofDays(1), true));

            assertThat(warnings.all()).singleElement().asString().contains("maxmemory-policy allkeys-lru");
        } finally {
            on(NODES.get(1), node -> node.sync().configSet("maxmemory-policy", "noeviction"));
        }
    }
}
