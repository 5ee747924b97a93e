package dev.resilience.spring.idempotency.redis;

import static dev.resilience.spring.WarningId.REDIS_EVICTS;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps records in Redis, version 6.2 or later, through Spring Data Redis: on one server, with replicas, or in a cluster.
 *
 * <p>A record is one hash, and every step one Lua script on it: two round trips for a first execution, one more for a
 * take-over, one for a replay. The clock is the server's. Nothing is read from replicas, whatever the driver prefers: what
 * runs scripts is the master. A transaction of Redis that is open on the thread is not joined.
 *
 * <p><b>What Redis can lose.</b> Replication is asynchronous. A replica that becomes the master may not know the last
 * claims and results; those calls can run twice. The same holds after a restart with incomplete persistence, after
 * {@code FLUSHALL}, and where records are evicted, which is warned of. An owner whose record is gone is told that it is
 * not the owner any more.
 *
 * <p><b>Broken connections.</b> A driver that connects again sends a command again of which the answer was lost, and one
 * may reach the server long after its sender has given up. Every step names owner and fence, so that it can run twice. A
 * take-over is confirmed by a second claim, before which the renewals of a living owner come that wait in the same queue.
 * A release that is sent again is answered as if the key were lost, although it is free. A claim that arrives after its
 * sender has given up, and after another owner has claimed and released the key, holds the key until its lease ends.
 *
 * <p>Results go when their time to live ends. An abandoned record that may be taken over goes a day after its lease; one
 * that may not, and one that was resolved as executed, stay for ever. Fences grow as long as the server's clock is not
 * set back.
 *
 * <p>Safe for use by many threads.
 */
public final class RedisIdempotencyStore implements IdempotencyStore {

    private static final Logger log = LoggerFactory.getLogger(RedisIdempotencyStore.class);
    private static final LuaScript CLAIM = new LuaScript("record.lua", "claim.lua");
    private static final LuaScript RENEW = new LuaScript("record.lua", "renew.lua");
    private static final LuaScript COMPLETE = new LuaScript("record.lua", "complete.lua");
    private static final LuaScript RELEASE = new LuaScript("record.lua", "release.lua");
    private static final LuaScript RESOLVE = new LuaScript("record.lua", "state.lua", "resolve.lua");
    private static final LuaScript DELETE = new LuaScript("record.lua", "state.lua", "delete.lua");

    /** How long an abandoned record is of use: to an owner that comes back, and to an operator who looks for it. */
    private static final long GRACE = Duration.ofDays(1).toMillis();

    /** For how long the owner of a record that was released is known: a claim of its own that comes late takes no key. */
    private static final long KEPT_AFTER_RELEASE = Duration.ofMinutes(5).toMillis();

    private static final String OVERDUE = "OVERDUE";
    private static final int MOST_TRIES = 3;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final RedisConnectionFactory connections;
    private final RedisKeys keys;
    private final StartupWarnings warnings;
    private final AtomicBoolean evictionChecked = new AtomicBoolean();

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
        this.keys = new RedisKeys(keyPrefix);
        this.warnings = warnings;
    }

    @Override
    public Claim claim(ClaimRequest request) {
        return connected(connection -> {
            LuaScript.Answer answer = claim(connection, request, "", "");
            for (int i = 1; i < MOST_TRIES && answer.text(0).equals(OVERDUE); i++) {
                answer = claim(connection, request, answer.text(1), answer.text(2));
            }
            checkEviction(connection);
            return claim(request, answer);
        });
    }

    /**
     * Warns, once, of a server that may throw records away when its memory is full. Asks on a connection that has just
     * proved to work, so that no application starts later for it, or not at all.
     */
    private void checkEviction(RedisConnection connection) {
        if (evictionChecked.get() || !evictionChecked.compareAndSet(false, true)) {
            return;
        }
        try {
            // a cluster answers with one value for each node
            for (Object policy :
                    connection.serverCommands().getConfig("maxmemory-policy").values()) {
                if (!policy.equals("noeviction")) {
                    warnings.add(REDIS_EVICTS.of("Redis has 'maxmemory-policy " + policy + "': when its memory is "
                            + "full it forgets idempotent calls, and they run again. Set it to 'noeviction' where "
                            + "they are kept"));
                    return;
                }
            }
        } catch (RuntimeException forbidden) {
            log.debug("Redis does not tell its maxmemory-policy; only noeviction keeps every record", forbidden);
        }
    }

    /**
     * @param overdueFence of an abandoned record that an earlier claim of this call has seen; empty for the first claim
     * @param overdueSince the server's time at that claim
     */
    private LuaScript.Answer claim(
            RedisConnection connection, ClaimRequest request, String overdueFence, String overdueSince) {
        return CLAIM.ask(
                connection,
                keys.of(request.key()),
                request.owner(),
                request.fingerprint(),
                millis(request.lease()),
                request.takeOver(),
                request.key().operation(),
                request.key().callerHash(),
                GRACE,
                overdueFence,
                overdueSince);
    }

    private static Claim claim(ClaimRequest request, LuaScript.Answer answer) {
        String what = answer.text(0);
        return switch (what) {
            case "ACQUIRED" ->
                new Claim.Acquired(
                        new LeaseToken(request.key(), request.owner(), answer.number(1)),
                        Boolean.parseBoolean(answer.text(2)));
            case "COMPLETED" ->
                new Claim.Completed(new StoredResult(StoredResult.Kind.valueOf(answer.text(1)), answer.bytes(2)));
            case "IN_PROGRESS" -> new Claim.InProgress(answer.millis(1));
            case "KEY_REUSED" -> new Claim.KeyReused();
            case "ABANDONED" -> new Claim.Abandoned();
            case "EXECUTED" -> new Claim.Executed();
            case OVERDUE -> new Claim.InProgress(Duration.ZERO); // answers take too long to take over
            default -> throw new IllegalStateException("A claim was answered with " + what);
        };
    }

    @Override
    public boolean renew(LeaseToken token, Duration lease) {
        return changed(RENEW, token, millis(lease), GRACE);
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        return changed(COMPLETE, token, result.kind(), result.content(), millis(ttl));
    }

    @Override
    public boolean release(LeaseToken token) {
        return changed(RELEASE, token, KEPT_AFTER_RELEASE);
    }

    private boolean changed(LuaScript script, LeaseToken token, Object... arguments) {
        Object[] all = Stream.concat(Stream.of(token.owner(), token.fence()), Stream.of(arguments))
                .toArray();
        return connected(connection -> script.change(connection, keys.of(token.key()), all));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Where the caller is given, this looks at the records themselves. Otherwise it walks through all keys of the
     * server (in a cluster: of the one node that can have them) with {@code SCAN}, as {@link #resolve} and
     * {@link #delete} do: that holds up no other client, but takes a second or so for every million keys.
     */
    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        return connected(connection -> keys.find(connection, selection).stream()
                .map(RedisKeys.Found::summary)
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
        return connected(connection -> (int) keys.find(connection, selection).stream()
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
