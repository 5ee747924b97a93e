package dev.resilience.spring.ratelimit.redis;

import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.ratelimit.RateLimitStore;
import dev.resilience.spring.idempotency.redis.LuaScript;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Counts permits in Redis, by one script on the server's clock. A limit, and each key of one, is one Redis key, which goes when all
 * permits are back; keys of calls are hashed. What Redis loses (a restart, a failover, {@code FLUSHALL}, an eviction) counts as all
 * permits there. Safe for use by many threads.
 */
public final class RedisRateLimitStore implements RateLimitStore {

    private static final String FILES = "/dev/resilience/spring/ratelimit/redis/";
    private static final LuaScript TAKE = new LuaScript("record.lua", FILES + "take.lua");
    private static final LuaScript NODES = new LuaScript("record.lua", FILES + "nodes.lua");

    private final RedisConnectionFactory connections;
    private final String prefix;

    /**
     * Connects to nothing yet.
     *
     * @param prefix what the Redis keys of all limits begin with: applications that share it, and a server, share limits
     */
    public RedisRateLimitStore(RedisConnectionFactory connections, String prefix) {
        this.connections = connections;
        this.prefix = prefix;
    }

    @Override
    public RateLimitPolicy.Store type() {
        return RateLimitPolicy.Store.REDIS;
    }

    @Override
    public Answer take(Request request) {
        String key = request.key() == null ? "" : ":" + RecordKey.hash(request.key());
        LuaScript.Answer answer = run(
                TAKE,
                "permits:" + request.limit() + key,
                request.wanted(),
                request.ahead(),
                request.debt(),
                request.interval(),
                request.burst(),
                request.longest(),
                request.maxWait());
        return new Answer((int) answer.number(0), answer.number(1));
    }

    @Override
    public int nodes(String limit, String node) {
        return (int) run(NODES, "nodes:" + limit, node, SEEN_FOR.toMillis()).number(0);
    }

    private LuaScript.Answer run(LuaScript script, String key, Object... arguments) {
        try (RedisConnection connection = connections.getConnection()) {
            return script.ask(connection, prefix + key, arguments);
        }
    }
}
