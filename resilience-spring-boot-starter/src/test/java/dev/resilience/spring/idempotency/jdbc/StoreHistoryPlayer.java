package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordLockedException;
import dev.resilience.idempotency.store.StoredResult;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Does in a real store what a line of {@code store-histories.txt} says, and gives its answer in a word or two. */
final class StoreHistoryPlayer implements AutoCloseable {

    private static final RecordKey KEY = RecordKey.of("operation", "", "key");

    /** Has ended when the next line is read. */
    private static final Duration OVER = Duration.ofMillis(1);

    private static final Duration LONG = Duration.ofHours(1);

    private final IdempotencyStore store;
    private final @Nullable DataSource dataSource;
    private final Consumer<Duration> clock;
    private final Map<String, LeaseToken> claims = new HashMap<>();
    private final Map<String, Connection> transactions = new HashMap<>();

    /**
     * @param dataSource {@code null} for a store that does not write in transactions
     * @param clock lets time pass
     */
    StoreHistoryPlayer(IdempotencyStore store, @Nullable DataSource dataSource, Consumer<Duration> clock) {
        this.store = store;
        this.dataSource = dataSource;
        this.clock = clock;
    }

    String perform(String line) {
        List<String> words = List.of(line.split(" "));
        String answer;
        try {
            Connection transaction = transactions.get(words.get(0));
            answer = transaction == null ? perform(words) : within(transaction, words.subList(1, words.size()));
        } catch (RecordLockedException locked) {
            answer = "locked";
        } catch (SQLException failure) {
            answer = state(failure);
        }
        if (words.contains("over")) {
            clock.accept(OVER.multipliedBy(3));
        }
        return answer;
    }

    /** H2 has a state of its own for a transaction that cannot be serialised. */
    private static String state(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.equals("90131") ? "40001" : state;
    }

    private String perform(List<String> words) throws SQLException {
        return switch (words.get(0)) {
            case "claim" -> claim(words);
            case "renew" -> told(store.renew(claim(words.get(1)), time(words.get(2))));
            case "complete" -> told(store.complete(claim(words.get(1)), result(words.get(2)), time(words.get(3))));
            case "release" -> told(store.release(claim(words.get(1))));
            case "status" -> store.statusOf(claim(words.get(1))).name();
            case "begin" -> begin(words.get(1), words.get(2));
            case "commit" -> end(words.get(1), Connection::commit);
            case "rollback" -> end(words.get(1), Connection::rollback);
            case "clean" -> clean();
            default -> throw new IllegalArgumentException(words.toString());
        };
    }

    private String within(Connection transaction, List<String> words) throws SQLException {
        JdbcIdempotencyStore jdbc = (JdbcIdempotencyStore) store;
        if (words.get(0).equals("look")) {
            try (Statement statement = transaction.createStatement()) {
                statement.executeQuery("SELECT count(*) FROM " + jdbc.table()).close();
            }
            return "looked";
        }
        LeaseToken mine = claim(words.get(1));
        return switch (words.get(0)) {
            case "renew" ->
                told(jdbc.records(transaction).renewal(mine, time(words.get(2))).inTransaction(transaction));
            case "complete" ->
                told(jdbc.records(transaction)
                        .completion(mine, result(words.get(2)), time(words.get(3)))
                        .inTransaction(transaction));
            case "release" -> told(jdbc.records(transaction).release(mine).inTransaction(transaction));
            case "status" ->
                jdbc.records(transaction).statusInTransaction(transaction, mine).name();
            default -> throw new IllegalArgumentException(words.toString());
        };
    }

    private String claim(List<String> words) {
        String fingerprint = words.contains("other") ? "2" : "1";
        ClaimRequest request = new ClaimRequest(
                KEY, words.get(1), fingerprint.repeat(64), time(words.get(2)), OVER, words.contains("take-over"));
        Claim claim = store.claim(request);
        if (claim instanceof Claim.Acquired acquired) {
            claims.put(words.get(1), acquired.token());
            return acquired.takenOver() ? "taken-over" : "acquired";
        }
        return claim instanceof Claim.Completed completed
                ? new String(completed.result().content(), StandardCharsets.UTF_8)
                : claim.getClass().getSimpleName();
    }

    private LeaseToken claim(String owner) {
        return Objects.requireNonNull(claims.get(owner), owner);
    }

    private static Duration time(String word) {
        return word.equals("over") ? OVER : LONG;
    }

    private static StoredResult result(String text) {
        return new StoredResult(StoredResult.Kind.VALUE, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String told(boolean yes) {
        return yes ? "yes" : "no";
    }

    private String begin(String name, String isolation) throws SQLException {
        Connection connection = Objects.requireNonNull(dataSource).getConnection();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(
                switch (isolation) {
                    case "REPEATABLE_READ" -> Connection.TRANSACTION_REPEATABLE_READ;
                    case "SERIALIZABLE" -> Connection.TRANSACTION_SERIALIZABLE;
                    default -> Connection.TRANSACTION_READ_COMMITTED;
                });
        transactions.put(name, connection);
        return "begun";
    }

    /** How a transaction is ended. */
    private interface End {

        void of(Connection connection) throws SQLException;
    }

    private String end(String name, End how) throws SQLException {
        try (Connection connection = Objects.requireNonNull(transactions.remove(name), name)) {
            how.of(connection);
            return "ended";
        }
    }

    private String clean() {
        if (store instanceof JdbcIdempotencyStore jdbc) {
            long unused = jdbc.removeExpired(0, 10);
        }
        return "cleaned";
    }

    /** Rolls back what is open. */
    @Override
    public void close() {
        for (String open : Set.copyOf(transactions.keySet())) {
            try {
                end(open, Connection::rollback);
            } catch (SQLException broken) {
                throw new IllegalStateException(broken);
            }
        }
    }
}
