package dev.resilience.spring.chaos;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.spring.idempotency.jdbc.Databases;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Callers on two nodes call with keys that they share, and again if they are refused, while requests to the database are
 * late and connections are lost. Then all is well again: each key must have an answer within
 * a bound, and what everybody was told must fit what there is.
 */
final class ChaosRun implements AutoCloseable {

    private static final int NODES = 2;
    private static final int CALLERS = 8;
    private static final int CALLS_OF_KEY = 3;
    private static final int MOST_TRIES = 5;

    private static final String OF_RUN = " WHERE name LIKE ?";

    /** What a loaded machine may take longer. */
    private static final Duration SLACK = Duration.ofSeconds(10);

    /** Where something must be found, it is waited for in vain. */
    private static final Duration SLACK_OF_DEFECTS = Duration.ofSeconds(2);

    private final Combination combination;
    private final int calls;
    private final long seed;
    private final Class<?>[] defects;
    private final Duration slack;
    private final History history;
    private final List<ShopNode> nodes = new ArrayList<>();
    private final List<String> contradictions = new ArrayList<>();
    private long nanos;

    ChaosRun(Combination combination, int calls, long seed, Class<?>... defects) {
        this.combination = combination;
        this.calls = calls;
        this.seed = seed * 1_000 + combination.number();
        this.defects = defects;
        this.slack = defects.length == 0 ? SLACK : SLACK_OF_DEFECTS;
        this.history = new History(this.seed);
    }

    /** Makes the tables that all runs share. */
    static void prepare(JdbcTemplate database) {
        Effects.SCHEMA.forEach(database::execute);
    }

    /** Starts the nodes. */
    ChaosRun open() {
        try (HikariDataSource direct = direct()) {
            JdbcTemplate database = new JdbcTemplate(direct);
            database.execute("DROP TABLE IF EXISTS " + combination.id());
            database.update("DELETE FROM " + Effects.TABLE + OF_RUN, combination.id() + " %");
            URI server = URI.create(direct.getJdbcUrl().substring("jdbc:".length()));
            for (int i = 0; i < NODES; i++) {
                nodes.add(new ShopNode(combination, history, seed * NODES + i, server, defects));
            }
        }
        return this;
    }

    private static HikariDataSource direct() {
        HikariDataSource direct = Databases.POSTGRESQL.pool();
        direct.setMaximumPoolSize(1);
        return direct;
    }

    /** Returns what was wrong: nothing, as a rule. */
    List<String> run() {
        try (HikariDataSource direct = direct()) {
            JdbcTemplate database = new JdbcTemplate(direct);
            nanos = -System.nanoTime();
            storm();
            nanos += System.nanoTime();
            settle(database);
            contradictions.addAll(new ConsistencyChecker(history, effects(database)).check());
            return contradictions;
        }
    }

    @Override
    public void close() {
        nodes.forEach(ShopNode::close);
    }

    private void storm() {
        nodes.forEach(node -> node.plan().begin());
        AtomicInteger next = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS, work -> new Thread(work, combination.id()));
        List<Future<?>> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            Random random = new Random(seed * CALLERS + i);
            callers.add(threads.submit(() -> {
                for (int call = next.getAndIncrement(); call < calls; call = next.getAndIncrement()) {
                    callSometimes(
                            combination.id() + " " + (call + random.nextInt(CALLS_OF_KEY)) / CALLS_OF_KEY, random);
                }
            }));
        }
        threads.shutdown();
        awaitCallers(callers);
    }

    private void awaitCallers(List<Future<?>> callers) {
        long deadline = System.nanoTime() + SLACK.multipliedBy(6 + calls / 40).toNanos();
        for (Future<?> caller : callers) {
            try {
                caller.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (Exception hangs) {
                contradictions.add("a caller does not end: " + hangs + threads());
            }
        }
    }

    private void callSometimes(String key, Random random) {
        for (int i = 0; i < MOST_TRIES; i++) {
            ShopNode node = nodes.get(random.nextInt(NODES));
            int kind = random.nextInt(100);
            History.Call call = history.call(key, () -> call(node, key, kind));
            if (call.value() != null) {
                return;
            }
            LockSupport.parkNanos(random.nextInt(20_000_000));
        }
    }

    private static String call(ShopNode node, String key, int kind) {
        if (kind < 10) {
            return node.placeWithin(key);
        }
        return kind < 17 ? node.placeWithinPart(key) : node.place(key);
    }

    /** Without faults nothing stays as it is for longer than a lease, the longest lease and a caller's patience. */
    private void settle(JdbcTemplate database) {
        history.heal();
        nodes.forEach(node -> node.plan().heal());
        String inProgress = "SELECT count(*) FROM " + combination.id() + " WHERE state = 'R' AND valid_until > "
                + "extract(epoch FROM clock_timestamp()) * 1000000";
        String busy = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + combination.id()
                + "' AND state <> 'idle'";
        boolean unused = settles("a key is still in progress", () -> isNone(database, inProgress))
                && history.calls().stream().map(History.Call::key).distinct().allMatch(this::isAnswered)
                && settles("a connection is not given back", () -> taken() == 0)
                && settles("a session is busy", () -> isNone(database, busy))
                && settles(
                        "not every call is counted once", () -> nodes.stream().allMatch(node -> node.uncounted() == 0));
    }

    private boolean isAnswered(String key) {
        ShopNode node = nodes.get(Math.floorMod(key.hashCode(), NODES));
        return settles(
                key + " has no answer",
                () -> history.call(key, () -> node.place(key)).value() != null);
    }

    private int taken() {
        return nodes.stream().mapToInt(ShopNode::connectionsTaken).sum();
    }

    private static boolean isNone(JdbcTemplate database, String count) {
        return Objects.requireNonNull(database.queryForObject(count, Long.class)) == 0;
    }

    private boolean settles(String otherwise, BooleanSupplier condition) {
        Duration bound = ShopNode.LEASE
                .plus(ShopNode.MAX_LEASE)
                .plus(ShopNode.WAIT_TIMEOUT)
                .plus(slack);
        long deadline = System.nanoTime() + bound.toNanos();
        boolean holds = condition.getAsBoolean();
        while (!holds && System.nanoTime() < deadline) {
            LockSupport.parkNanos(5_000_000);
            holds = condition.getAsBoolean();
        }
        if (!holds) {
            contradictions.add(otherwise + threads());
        }
        return holds;
    }

    /** What the threads of the library and of callers are doing. */
    private String threads() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            boolean isOurs = thread.getName().startsWith("resilience")
                    || thread.getName().equals(combination.id());
            if (isOurs) {
                text.append("\n    ").append(thread);
                for (int i = 0; i < Math.min(30, stack.length); i++) {
                    text.append("\n        ").append(stack[i]);
                }
            }
        });
        return text.toString();
    }

    private Map<Long, String> effects(JdbcTemplate database) {
        Map<Long, String> effects = new HashMap<>();
        database.query(
                "SELECT body, name FROM " + Effects.TABLE + OF_RUN,
                row -> {
                    effects.put(row.getLong(1), row.getString(2));
                },
                combination.id() + " %");
        return effects;
    }

    /** What happened, in a line. */
    @Override
    public String toString() {
        Map<String, Integer> told = new TreeMap<>();
        for (History.Call call : history.calls()) {
            Throwable failure = call.failure();
            String end = failure == null ? "nothing" : failure.getClass().getSimpleName();
            told.merge(call.value() == null ? end : "done", 1, Integer::sum);
        }
        Map<Fate, Long> faults = new TreeMap<>();
        for (Fate fate : Fate.values()) {
            faults.put(
                    fate,
                    nodes.stream().mapToLong(node -> node.plan().count(fate)).sum());
        }
        return combination + ", seed " + seed + ", " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms: " + told + ", "
                + faults;
    }
}
