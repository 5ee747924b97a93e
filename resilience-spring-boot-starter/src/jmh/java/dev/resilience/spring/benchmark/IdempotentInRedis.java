package dev.resilience.spring.benchmark;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import redis.embedded.RedisServer;

/** Records in Redis, which writes nothing to its disk here. By hand, a SET NX and a SET, and a GET. */
public class IdempotentInRedis extends IdempotentCalls {

    private static final String RESULT = "{\"order\":\"an order\",\"amount\":4200,\"state\":\"paid\"}";

    private static final String FILL = """
            for i = 1, tonumber(ARGV[1]) do
                redis.call('HSET', 'stored:' .. i, 'state', 'COMPLETED', 'fence', i, 'result', 'a result')
            end
            """;

    private RedisServer server;
    private StringRedisTemplate byHand;

    @Setup
    public void start() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        server = RedisServer.newRedisServer()
                .port(port)
                .setting("save \"\"")
                .setting("appendonly no")
                .build();
        server.start();
        start(Store.class, "redis.port=" + port);
        byHand = new StringRedisTemplate(bean(RedisConnectionFactory.class));
        byHand.opsForValue().set("replayed", RESULT);
        try (RedisConnection connection = bean(RedisConnectionFactory.class).getConnection()) {
            connection.scriptingCommands().eval(bytes(FILL), ReturnType.STATUS, 0, bytes(String.valueOf(stored)));
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    @TearDown
    public void stop() {
        super.stop();
        try {
            server.stop();
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Benchmark
    public Object first() {
        return executeFirst();
    }

    @Benchmark
    public Object firstByHand() {
        String key = newKey();
        byHand.opsForValue().setIfAbsent(key, "running", Duration.ofSeconds(30));
        byHand.opsForValue().set(key, RESULT, Duration.ofDays(1));
        return key;
    }

    @Benchmark
    public Object replay() {
        return executeAgain();
    }

    @Benchmark
    public Object replayByHand() {
        return byHand.opsForValue().get("replayed");
    }

    static class Store {

        @Bean
        LettuceConnectionFactory connections(Environment environment) {
            return new LettuceConnectionFactory("127.0.0.1", environment.getRequiredProperty("redis.port", int.class));
        }
    }
}
