package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordLockedException;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.spring.idempotency.simulation.StoredRecord.State;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Does in the simulated store what a line of {@code store-histories.txt} says, and gives the answer of the store in a word
 * or two. The starter's tests have the like for real stores.
 */
final class HistoryPlayer {

    private static final RecordKey KEY = RecordKey.of("operation", "", "key");

    /** Has ended when the next line is read. */
    private static final Duration OVER = Duration.ofMillis(1);

    private static final Duration LONG = Duration.ofHours(1);

    private final SimulatedDatabase database;
    private final Machine machine;
    private final SimulatedPool pool;
    private final SimulatedStore store;
    private final Map<String, LeaseToken> claims = new HashMap<>();
    private final Map<String, SimulatedConnection> transactions = new HashMap<>();
    private final Set<String> snapshots = new HashSet<>();

    private HistoryPlayer(Baton baton) {
        Weather weather = new Weather(baton, LONG);
        weather.clears();
        this.database = new SimulatedDatabase(baton, new RecordWatch());
        this.machine = new Machine(baton, "client");
        this.pool = new SimulatedPool(database, machine, weather, 10);
        this.store = new SimulatedStore(database, machine, pool, PlantedDefect.NONE);
    }

    /** Has a player do something, on a database of its own. */
    static void with(Consumer<HistoryPlayer> work) {
        Baton baton = new Baton(1);
        HistoryPlayer player = new HistoryPlayer(baton);
        baton.start("history", player.machine, () -> {
            work.accept(player);
            Set.copyOf(player.transactions.keySet()).forEach(open -> player.end(open, SimulatedConnection::rollback));
        });
        baton.run();
    }

    String perform(String line) {
        List<String> words = List.of(line.split(" "));
        String answer;
        try {
            answer = transactions.containsKey(words.get(0))
                    ? within(Objects.requireNonNull(transactions.get(words.get(0))), words.subList(1, words.size()))
                    : perform(words);
        } catch (RecordLockedException locked) {
            answer = "locked";
        } catch (SqlFailure failure) {
            answer = Objects.requireNonNull(failure.getMessage()).substring(0, 5);
        }
        if (words.contains("over")) {
            database.baton().await(() -> false, machine.after(OVER.multipliedBy(3)));
        }
        return answer;
    }

    private String perform(List<String> words) {
        return switch (words.get(0)) {
            case "claim" -> claim(words);
            case "renew" -> told(store.renew(claim(words.get(1)), time(words.get(2))));
            case "complete" -> told(store.complete(claim(words.get(1)), result(words.get(2)), time(words.get(3))));
            case "release" -> told(store.release(claim(words.get(1))));
            case "status" -> store.statusOf(claim(words.get(1))).name();
            case "begin" -> begin(words.get(1), Isolation.valueOf(words.get(2)));
            case "commit" -> end(words.get(1), SimulatedConnection::commit);
            case "rollback" -> end(words.get(1), SimulatedConnection::rollback);
            case "clean" -> clean();
            default -> throw new IllegalArgumentException(words.toString());
        };
    }

    private String within(SimulatedConnection transaction, List<String> words) {
        if (words.get(0).equals("look")) {
            return transaction.execute("look", () -> {
                transaction.session().look(KEY);
                return "looked";
            });
        }
        LeaseToken mine = claim(words.get(1));
        return switch (words.get(0)) {
            case "renew" -> told(store.renew(transaction, mine, time(words.get(2))));
            case "complete" -> told(store.complete(transaction, mine, result(words.get(2)), time(words.get(3))));
            case "release" -> told(store.release(transaction, mine));
            case "status" -> store.statusOf(transaction, mine).name();
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

    private String begin(String name, Isolation isolation) {
        SimulatedConnection connection = pool.take();
        connection.begin(isolation);
        transactions.put(name, connection);
        if (isolation.isSnapshot()) {
            snapshots.add(name);
        } else {
            snapshots.remove(name);
        }
        return "begun";
    }

    private String end(String name, Consumer<SimulatedConnection> how) {
        SimulatedConnection connection = Objects.requireNonNull(transactions.remove(name), name);
        try {
            how.accept(connection);
            return "ended";
        } finally {
            pool.giveBack(connection);
        }
    }

    /** Which removes results whose time is over, unless a transaction has them locked. */
    private String clean() {
        StoredRecord record = database.latest(KEY);
        boolean isOver = record != null && record.state() == State.COMPLETED && record.validUntil() <= database.clock();
        if (isOver && database.row(KEY).lock() == null) {
            pool.take().session().update(KEY, record.fence(), found -> true, found -> null);
        }
        return "cleaned";
    }

    /** The owners that have had the key. */
    List<String> owners() {
        return claims.keySet().stream().sorted().toList();
    }

    List<String> transactions() {
        return transactions.keySet().stream().sorted().toList();
    }

    /** Whether a transaction has the record locked, other than the one with this name. */
    boolean isLockedAgainst(@Nullable String transaction) {
        Session holder = database.row(KEY).lock();
        SimulatedConnection own = transaction == null ? null : transactions.get(transaction);
        return holder != null && (own == null || holder != own.session());
    }

    boolean isSnapshot(String transaction) {
        return snapshots.contains(transaction);
    }

    boolean isCompleted() {
        StoredRecord record = database.latest(KEY);
        return record != null && record.state() == State.COMPLETED;
    }

    static boolean isFailure(String answer) {
        return List.of("40001", "55P03", "40P01", "25P02").contains(answer);
    }
}
