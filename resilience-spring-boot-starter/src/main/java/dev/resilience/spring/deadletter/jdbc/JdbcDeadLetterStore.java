package dev.resilience.spring.deadletter.jdbc;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.ReplayClaim;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.spring.deadletter.jdbc.LetterTable.Found;
import dev.resilience.spring.idempotency.jdbc.Dialect;
import dev.resilience.spring.idempotency.jdbc.Micros;
import dev.resilience.spring.idempotency.jdbc.OwnConnections;
import dev.resilience.spring.idempotency.jdbc.Races;
import dev.resilience.spring.idempotency.jdbc.RecordChange;
import dev.resilience.spring.idempotency.jdbc.Schema;
import dev.resilience.spring.idempotency.jdbc.connection.DataSourceLayers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps dead letters in a table of a relational database: PostgreSQL, H2, and as an experiment MySQL and MariaDB.
 *
 * <p>Everything commits at once, on a connection of its own, whatever transaction the thread is in: the caller's is often
 * rolled back with the failure. Time is the database's. No statement waits without a bound for a transaction that has a letter
 * locked. Safe for use by many threads and many processes.
 */
public final class JdbcDeadLetterStore implements DeadLetterStore, AutoCloseable {

    /** The table's name unless told otherwise. */
    public static final String DEFAULT_TABLE = "resilience_dead_letter";

    /** How many letters are looked at, so that of many who claim what is due each finds one soon. */
    private static final int LOOKED_AT = 20;

    private final OwnConnections connections;
    private final String table;
    private final boolean createsTable;
    private volatile @Nullable LetterTable statements;

    /** A store on the table of the default name, which is there. */
    public JdbcDeadLetterStore(DataSource dataSource) {
        this(dataSource, DEFAULT_TABLE, false);
    }

    /**
     * A store on a table of another name.
     *
     * @param table the table's name, which may have a schema's before it: {@code billing.dead_letter}
     * @param createsTable whether the table is made when the application starts, unless it is there
     */
    public JdbcDeadLetterStore(DataSource dataSource, String table, boolean createsTable) {
        this.connections =
                new OwnConnections(DataSourceLayers.of(dataSource), "dead letters in the table '" + table + "'");
        this.table = table;
        this.createsTable = createsTable;
    }

    /** Makes the table if that is wanted, and makes sure that it is there. */
    @Override
    public void prepare() {
        connections.check();
        connections.claiming(connection -> {
            Schema schema = LetterTable.schema(Dialect.of(connection), table);
            if (createsTable) {
                schema.create(connection);
            }
            schema.check(connection);
            return true;
        });
    }

    @Override
    public void store(DeadLetter letter, Duration wait) {
        connections.claiming(
                connection -> Races.repeated(() -> letters(connection).insert(connection, letter, Micros.of(wait))));
    }

    @Override
    public List<StoredLetter> list(String policy, int limit) {
        return connections.claiming(connection -> letters(connection).list(connection, policy, limit));
    }

    @Override
    public @Nullable StoredLetter find(String policy, String id) {
        return connections
                .<Optional<StoredLetter>>claiming(connection ->
                        Optional.ofNullable(letters(connection).find(connection, LetterIds.of(policy, id))))
                .orElse(null);
    }

    @Override
    public Map<String, Long> sizes() {
        return connections.claiming(connection -> letters(connection).sizes(connection));
    }

    @Override
    public @Nullable ReplayClaim claim(String policy, String id, Duration lease) {
        byte[] key = LetterIds.of(policy, id);
        return claimFirst((letters, connection) -> letters.claimable(connection, key), lease);
    }

    @Override
    public @Nullable ReplayClaim claimDue(String policy, Duration lease) {
        return claimFirst((letters, connection) -> letters.due(connection, policy, LOOKED_AT), lease);
    }

    /** Looks again where others were faster, a limited number of times: a transaction may have the letters locked. */
    private @Nullable ReplayClaim claimFirst(Search search, Duration lease) {
        return connections
                .<Optional<ReplayClaim>>claiming(connection -> {
                    LetterTable letters = letters(connection);
                    for (int i = 0; i < Races.MOST_TRIES; i++) {
                        List<Found> candidates = search.in(letters, connection);
                        for (Found found : candidates) {
                            ReplayClaim claim = claim(connection, letters, found, lease);
                            if (claim != null) {
                                return Optional.of(claim);
                            }
                        }
                        if (candidates.isEmpty()) {
                            break;
                        }
                    }
                    return Optional.empty();
                })
                .orElse(null);
    }

    private static @Nullable ReplayClaim claim(Connection connection, LetterTable letters, Found found, Duration lease)
            throws SQLException {
        Map<String, Object> values = new HashMap<>();
        values.put("id", found.id());
        values.put("fence", found.fence());
        values.put("due_at", found.dueAt());
        values.put("lease", Micros.of(lease));
        if (!letters.claim.unlessLocked(connection, values)) {
            return null;
        }
        StoredLetter claimed = letters.find(connection, found.id());
        return claimed == null ? null : new ReplayClaim(claimed.letter(), claimed.replays(), found.fence() + 1);
    }

    @Override
    public boolean renew(ReplayClaim claim, Duration lease) {
        return change(claim, letters -> letters.renew, new HashMap<>(Map.of("lease", Micros.of(lease))));
    }

    @Override
    public boolean succeeded(ReplayClaim claim) {
        return change(claim, letters -> letters.remove, new HashMap<>());
    }

    @Override
    public boolean failed(ReplayClaim claim, LetterFailure failure, @Nullable Duration wait) {
        Map<String, Object> values = LetterTable.failure(failure);
        values.put("wait", wait == null ? 0L : Micros.of(wait));
        return change(claim, letters -> wait == null ? letters.giveUp : letters.fail, values);
    }

    @Override
    public boolean postpone(ReplayClaim claim, Duration wait) {
        return change(claim, letters -> letters.postpone, new HashMap<>(Map.of("wait", Micros.of(wait))));
    }

    /** On the connection apart, so that what ends a replay needs none of a pool that other calls have taken. */
    private boolean change(ReplayClaim claim, Function<LetterTable, RecordChange> change, Map<String, Object> values) {
        values.put("id", LetterIds.of(claim.letter().policy(), claim.letter().id()));
        values.put("fence", claim.fence());
        return connections.keeping(
                connection -> change.apply(letters(connection)).inOwnTransaction(connection, values));
    }

    @Override
    public boolean discard(String policy, String id) {
        Map<String, byte[]> values = Map.of("id", LetterIds.of(policy, id));
        return connections.claiming(connection -> letters(connection).discard.unlessLocked(connection, values));
    }

    /** Closes the connection apart. */
    @Override
    public void close() {
        connections.close();
    }

    private LetterTable letters(Connection connection) throws SQLException {
        LetterTable known = statements;
        if (known == null) {
            known = new LetterTable(Dialect.of(connection), table);
            statements = known;
        }
        return known;
    }

    /** What can be claimed. */
    @FunctionalInterface
    private interface Search {

        List<Found> in(LetterTable letters, Connection connection) throws SQLException;
    }
}
