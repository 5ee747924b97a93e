package dev.resilience.spring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.spring.chaos.Combination.Isolation;
import dev.resilience.spring.idempotency.jdbc.Databases;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The promises of idempotency while the way to PostgreSQL fails by chance: for each transaction manager, isolation level
 * and size of the pool. An ordinary build tries each pair of them in one application, a third of all; {@code -Plong} and
 * {@code -Dchaos.calls} try all. A failure prints its seed. The faults of a seed are always the same, what threads make of them is
 * not: {@code -Dtest=RandomFaultTests -Dchaos.seed=4711 -Dchaos.calls=1000}.
 */
class RandomFaultTests {

    private static final int CALLS = 50;
    private static final int MANY_CALLS = 2_000;
    private static final List<Integer> POOL_SIZES = List.of(1, 2, 10);
    private static final boolean IS_LONG =
            "long".equals(System.getProperty("stress")) || System.getProperty("chaos.calls") != null;

    @BeforeAll
    static void prepare() {
        try (HikariDataSource direct = Databases.POSTGRESQL.pool()) {
            ChaosRun.prepare(new JdbcTemplate(direct));
        }
    }

    /** All at once: most of the time they wait for what is late. */
    @Test
    void everyPromiseHoldsWhenConnectionsAreLost() {
        List<ChaosRun> runs = new ArrayList<>();
        List<CompletableFuture<List<String>>> ending = new ArrayList<>();
        SilencedLogs.during(() -> {
            combinations().forEach(combination -> runs.add(new ChaosRun(combination, calls(), seed()).open()));
            runs.forEach(run -> ending.add(CompletableFuture.supplyAsync(run::run, task -> new Thread(task).start())));
            CompletableFuture.allOf(ending.toArray(CompletableFuture[]::new)).join();
            runs.forEach(ChaosRun::close);
        });

        runs.forEach(System.out::println);
        List<String> contradictions = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            for (String found : ending.get(i).join()) {
                contradictions.add(runs.get(i) + ": " + found);
            }
        }
        assertThat(contradictions).isEmpty();
    }

    private static Stream<Combination> combinations() {
        return Stream.of(Manager.values())
                .flatMap(manager -> Stream.of(Isolation.values())
                        .flatMap(isolation -> POOL_SIZES.stream()
                                .filter(size -> IS_LONG || isOneOfThree(manager, isolation, size))
                                .map(size -> new Combination(manager, isolation, size))));
    }

    /** A Latin square: any two of the three are together once. */
    private static boolean isOneOfThree(Manager manager, Isolation isolation, int size) {
        int place = List.of(Manager.values()).indexOf(manager)
                + List.of(Isolation.values()).indexOf(isolation)
                + POOL_SIZES.indexOf(size);
        return place % 3 == 0;
    }

    private static int calls() {
        return Integer.getInteger("chaos.calls", IS_LONG ? MANY_CALLS : CALLS);
    }

    private static long seed() {
        return Long.getLong("chaos.seed", 1);
    }
}
