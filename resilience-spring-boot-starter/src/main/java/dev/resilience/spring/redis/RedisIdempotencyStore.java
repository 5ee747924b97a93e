package dev.resilience.spring.redis;

import dev.resilience.idempotency.Claim;
import dev.resilience.idempotency.ClaimRequest;
import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.idempotency.Ownership;
import dev.resilience.idempotency.RecordSelection;
import dev.resilience.idempotency.RecordSummary;
import dev.resilience.idempotency.StoredResult;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps records in Redis, version 6.2 or later, through Spring Data Redis: on one server, with replicas, or in a cluster.
 *
 * <p>A record is one hash, and every step one Lua script on it: two round trips for a first execution, one for a replay.
 * The clock is the server's. Nothing is read from replicas, whatever the driver prefers: what runs scripts is the master.
 * A transaction of Redis that is open on the thread is not joined.
 *
 * <p><b>What Redis can lose.</b> Replication is asynchronous. A replica that becomes the master may not know the last
 * claims and results; those calls can run twice. The same holds after a restart with incomplete persistence, after
 * {@code FLUSHALL}, and where records are evicted, which is warned of. An owner whose record is gone is told that it is
 * not the owner any more. A claim whose answer is lost keeps its key until the lease ends.
 *
 * <p>Results go when their time to live ends. An abandoned record that may be taken over goes a day after its lease; one
 * that may not, and one that was resolved as executed, stay for ever. Fences grow as long as the server's clock is not
 * set back.
 *
 * <p>Safe for use by many threads.
 */
public final class RedisIdempotencyStore implements IdempotencyStore {

    private static final LuaScript CLAIM = new LuaScript("record.lua", "claim.lua");
    private static final LuaScript RENEW = new LuaScript("record.lua", "renew.lua");
    private static final LuaScript COMPLETE = new LuaScript("record.lua", "complete.lua");
    private static final LuaScript RELEASE = new LuaScript("record.lua", "release.lua");
    private static final LuaScript RESOLVE = new LuaScript("record.lua", "state.lua", "resolve.lua");
    private static final LuaScript DELETE = new LuaScript("record.lua", "state.lua", "delete.lua");

    /** How long an abandoned record is of use: to an owner that comes back, and to whoever looks for it. */
    private static final long GRACE = Duration.ofDays(1).toMillis();

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final RedisConnectionFactory connections;
    private final RecordKeys keys;
    private final EvictionCheck eviction;
    private final RecordSearch search;

    /**
     * Connects to nothing yet: the first claim does.
     *
     * @param connections may be used for other things too
     * @param keyPrefix what the keys of all records begin with; without braces. Applications that share it, and a
     *     server, share their records
     * @param warnings told of servers that evict records
     * @throws IllegalArgumentException if the prefix has braces
     */
    public RedisIdempotencyStore(RedisConnectionFactory connections, String keyPrefix, StartupWarnings warnings) {
        this.connections = connections;
        this.keys = new RecordKeys(keyPrefix);
        this.eviction = new EvictionCheck(warnings);
        this.search = new RecordSearch(keys);
    }

    @Override
    public Claim claim(ClaimRequest request) {
        return connected(connection -> {
            ScriptAnswer answer = CLAIM.ask(
                    connection,
                    keys.of(request.key()),
                    request.owner(),
                    request.fingerprint(),
                    millis(request.lease()),
                    request.takeOver(),
                    request.key().operation(),
                    request.key().callerHash(),
                    GRACE);
            eviction.runOnce(connection);
            return claim(request, answer);
        });
    }

    private static Claim claim(ClaimRequest request, ScriptAnswer answer) {
        String what = answer.text(0);
        return switch (what) {
            case "ACQUIRED" ->
                new Claim.Acquired(new Ownership(request.key(), request.owner(), answer.number(1)), answer.isTrue(2));
            case "COMPLETED" ->
                new Claim.Completed(new StoredResult(StoredResult.Kind.valueOf(answer.text(1)), answer.bytes(2)));
            case "IN_PROGRESS" -> new Claim.InProgress(answer.millis(1));
            case "KEY_REUSED" -> new Claim.KeyReused();
            case "ABANDONED" -> new Claim.Abandoned();
            case "EXECUTED" -> new Claim.Executed();
            default -> throw new IllegalStateException("A claim was answered with " + what);
        };
    }

    @Override
    public boolean renew(Ownership ownership, Duration lease) {
        return changed(RENEW, ownership, ownership.owner(), millis(lease), GRACE);
    }

    @Override
    public boolean complete(Ownership ownership, StoredResult result, Duration ttl) {
        return changed(COMPLETE, ownership, ownership.owner(), result.kind(), result.content(), millis(ttl));
    }

    @Override
    public boolean release(Ownership ownership) {
        return changed(RELEASE, ownership, ownership.owner());
    }

    private boolean changed(LuaScript script, Ownership ownership, Object... arguments) {
        return connected(connection -> script.change(connection, keys.of(ownership.key()), arguments));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Where the caller is given, this looks at the records themselves. Otherwise it walks through all keys of the
     * server (in a cluster: of the one node that can have them) with {@code SCAN}, as {@link #resolve} and
     * {@link #delete} do: that holds up nobody else, but takes a second or so for every million keys.
     */
    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        return connected(connection -> search.find(connection, selection).stream()
                .map(RecordSearch.Found::summary)
                .toList());
    }

    @Override
    public int resolve(RecordSelection selection, boolean executed) {
        return changed(RESOLVE, selection, executed);
    }

    @Override
    public int delete(RecordSelection selection) {
        return changed(DELETE, selection);
    }

    private int changed(LuaScript script, RecordSelection selection, Object... arguments) {
        return connected(connection -> (int) search.find(connection, selection).stream()
                .filter(found -> script.change(connection, found.key(), arguments))
                .count());
    }

    private <T> T connected(Function<RedisConnection, T> action) {
        try (RedisConnection connection = connections.getConnection()) {
            return action.apply(connection);
        }
    }

    /** Rounded up: nothing ends early, and no time is zero. */
    private static long millis(Duration duration) {
        return (Durations.toNanos(duration) - 1) / NANOS_PER_MILLI + 1;
    }
}
