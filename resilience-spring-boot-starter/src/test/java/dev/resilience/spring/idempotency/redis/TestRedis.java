package dev.resilience.spring.idempotency.redis;

import static org.awaitility.Awaitility.await;

import dev.resilience.spring.StartupWarnings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A server for the tests of one class, and an application that is connected to it. */
public final class TestRedis implements BeforeAllCallback, AfterAllCallback {

    static final String PREFIX = "test:";

    private final RedisProcess process;
    private LettuceConnectionFactory connections;
    private int classes;

    public TestRedis(String... settings) {
        this.process = new RedisProcess(settings);
    }

    /** Soon gives up, and ends at once. */
    static LettuceClientConfigurationBuilder impatient() {
        return LettuceClientConfiguration.builder()
                .commandTimeout(Duration.ofSeconds(1))
                .shutdownTimeout(Duration.ZERO)
                .shutdownQuietPeriod(Duration.ZERO);
    }

    /** Also called for classes nested in the test's. */
    @Override
    public void beforeAll(ExtensionContext context) {
        if (classes++ > 0) {
            return;
        }
        process.start();
        connections = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", process.port()),
                impatient().build());
        connections.afterPropertiesSet();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (--classes > 0) {
            return;
        }
        connections.destroy();
        process.stop();
    }

    public int port() {
        return process.port();
    }

    public void start() {
        process.start();
    }

    public void stop() {
        process.stop();
    }

    /** Waits until the driver has found a server that was started again. */
    void awaitConnection() {
        await().ignoreExceptions().until(() -> onConnection(RedisConnection::ping), "PONG"::equals);
    }

    public RedisConnectionFactory connections() {
        return connections;
    }

    RedisIdempotencyStore store() {
        return new RedisIdempotencyStore(connections, PREFIX, new StartupWarnings());
    }

    RedisIdempotencyStore emptyStore() {
        flush();
        return store();
    }

    public void flush() {
        onConnection(connection -> {
            connection.serverCommands().flushAll();
            return true;
        });
    }

    /** From so many bytes on the server refuses to write; 0 for no limit. */
    void setMaxMemory(String bytes) {
        onConnection(connection -> {
            connection.serverCommands().setConfig("maxmemory", bytes);
            return true;
        });
    }

    void forgetScripts() {
        onConnection(connection -> {
            connection.scriptingCommands().scriptFlush();
            return true;
        });
    }

    /** All keys, sorted. */
    public Set<String> keys() {
        return onConnection(connection -> {
            Set<String> keys = new TreeSet<>();
            connection
                    .keyCommands()
                    .keys("*".getBytes(StandardCharsets.UTF_8))
                    .forEach(key -> keys.add(new String(key, StandardCharsets.UTF_8)));
            return keys;
        });
    }

    <T> T onConnection(Function<RedisConnection, T> action) {
        try (RedisConnection connection = connections.getConnection()) {
            return action.apply(connection);
        }
    }
}
