package dev.resilience.spring.deadletter.jdbc;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.ReplayClaim;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.spring.deadletter.jdbc.LetterTable.Found;
import dev.resilience.spring.idempotency.jdbc.Dialect;
import dev.resilience.spring.idempotency.jdbc.JdbcStore;
import dev.resilience.spring.idempotency.jdbc.NamedSql;
import dev.resilience.spring.idempotency.jdbc.RowChange;
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
public final class JdbcDeadLetterStore extends JdbcStore<LetterTable> implements DeadLetterStore {

    /** The table's name unless told otherwise. */
    public static final String DEFAULT_TABLE = "resilience_dead_letter";

    /** How many letters are looked at, so that of many who claim what is due each finds one soon. */
    private static final int LOOKED_AT = 20;

    private static final int REMOVED_AT_A_TIME = 500;

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
        super(dataSource, "dead letters", LetterTable.schema(table), createsTable);
    }

    @Override
    protected LetterTable statements(Dialect dialect, Connection connection) {
        return new LetterTable(dialect, table());
    }

    @Override
    public void store(DeadLetter letter, Duration wait) {
        claiming(connection -> Boolean.TRUE.equals(
                RowChange.repeated(() -> statements(connection).insert(connection, letter, Dialect.micros(wait)))));
    }

    @Override
    public List<StoredLetter> list(String policy, int limit) {
        return claiming(connection ->
                statements(connection).list.rows(connection, LetterTable.ofPolicy(policy, limit), LetterTable::letter));
    }

    @Override
    public @Nullable StoredLetter find(String policy, String id) {
        return claiming(connection -> find(connection, LetterTable.key(policy, id)))
                .orElse(null);
    }

    private Optional<StoredLetter> find(Connection connection, byte[] id) throws SQLException {
        return statements(connection).find.rows(connection, Map.of("id", id), LetterTable::letter).stream()
                .findFirst();
    }

    @Override
    public Map<String, Long> sizes() {
        Map<String, Long> sizes = new HashMap<>();
        claiming(connection -> statements(connection).sizes.rows(connection, Map.of(), row -> {
            sizes.put(row.getString("policy"), row.getLong("letters"));
            return true;
        }));
        return sizes;
    }

    @Override
    public @Nullable ReplayClaim claim(String policy, String id, Duration lease) {
        return claimFirst(letters -> letters.claimable, Map.of("id", LetterTable.key(policy, id)), lease);
    }

    @Override
    public @Nullable ReplayClaim claimDue(String policy, Duration lease) {
        return claimFirst(letters -> letters.due, LetterTable.ofPolicy(policy, LOOKED_AT), lease);
    }

    /** Looks again where others were faster, a limited number of times: a transaction may have the letters locked. */
    private @Nullable ReplayClaim claimFirst(
            Function<LetterTable, NamedSql> search, Map<String, Object> searched, Duration lease) {
        return this.<Optional<ReplayClaim>>claiming(connection -> {
                    LetterTable letters = statements(connection);
                    Optional<ReplayClaim> first = RowChange.repeated(() -> {
                        List<Found> candidates = search.apply(letters).rows(connection, searched, LetterTable::found);
                        for (Found found : candidates) {
                            Map<String, Object> values =
                                    Map.of("id", found.id(), "fence", found.fence(), "lease", Dialect.micros(lease));
                            if (letters.claim.skipLocked(connection, values)) {
                                return find(connection, found.id())
                                        .map(claimed -> new ReplayClaim(
                                                claimed.letter(), claimed.replays(), found.fence() + 1));
                            }
                        }
                        return candidates.isEmpty() ? Optional.empty() : null;
                    });
                    return first == null ? Optional.empty() : first;
                })
                .orElse(null);
    }

    @Override
    public boolean renew(ReplayClaim claim, Duration lease) {
        return change(claim, letters -> letters.renew, Map.of("lease", Dialect.micros(lease)));
    }

    @Override
    public boolean succeeded(ReplayClaim claim) {
        return change(claim, letters -> letters.remove, Map.of());
    }

    @Override
    public boolean failed(ReplayClaim claim, LetterFailure failure, @Nullable Duration wait) {
        Map<String, Object> values = LetterTable.failure(failure);
        values.putAll(end(wait));
        return change(claim, letters -> letters.fail, values);
    }

    @Override
    public boolean postpone(ReplayClaim claim, @Nullable Duration wait) {
        return change(claim, letters -> letters.postpone, end(wait));
    }

    private static Map<String, Object> end(@Nullable Duration wait) {
        return wait == null ? Map.of("state", "G", "wait", 0L) : Map.of("state", "W", "wait", Dialect.micros(wait));
    }

    /** On the connection apart, so that what ends a replay needs none of a pool that other calls have taken. */
    private boolean change(ReplayClaim claim, Function<LetterTable, RowChange> change, Map<String, Object> values) {
        Map<String, Object> all = new HashMap<>(values);
        all.put("id", LetterTable.key(claim.letter().policy(), claim.letter().id()));
        all.put("fence", claim.fence());
        return keeping(connection -> change.apply(statements(connection)).inOwnTransaction(connection, all));
    }

    @Override
    public boolean discard(String policy, String id) {
        Map<String, byte[]> values = Map.of("id", LetterTable.key(policy, id));
        return claiming(connection -> statements(connection).discard.skipLocked(connection, values));
    }

    @Override
    public int removeGivenUp(Duration age) {
        return claiming(connection -> {
            LetterTable letters = statements(connection);
            int removed = 0;
            Map<String, Object> old = Map.of("age", Dialect.micros(age), "batch", REMOVED_AT_A_TIME);
            for (Found found : letters.givenUp.rows(connection, old, LetterTable::found)) {
                Map<String, Object> values = Map.of("id", found.id(), "fence", found.fence());
                removed += letters.removeGivenUp.skipLocked(connection, values) ? 1 : 0;
            }
            return removed;
        });
    }
}
