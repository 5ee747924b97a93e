package dev.resilience.spring.ratelimit.redis;

import dev.resilience.spring.idempotency.redis.TestRedis;
import dev.resilience.spring.ratelimit.LimitAcrossProcesses;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisConnection;

class LimitInRedisAcrossProcessesTests extends LimitAcrossProcesses {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private List<ProcessHandle> server = List.of();

    @Override
    protected String store() {
        REDIS.flush();
        return "redis " + REDIS.port();
    }

    @Override
    protected List<ProcessHandle> server() {
        if (server.isEmpty()) { // asked while it answers
            try (RedisConnection connection = REDIS.connections().getConnection()) {
                String pid = connection.serverCommands().info("server").getProperty("process_id");
                server = List.of(ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
            }
        }
        return server;
    }

    @Override
    protected void stop() {
        REDIS.stop();
    }

    @Override
    protected void start() {
        REDIS.start();
    }

    @Override
    protected boolean forgets() {
        return true;
    }
}
