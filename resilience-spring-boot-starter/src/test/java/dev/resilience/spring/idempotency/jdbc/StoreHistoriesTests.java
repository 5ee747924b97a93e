package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.redis.RedisIdempotencyStore;
import dev.resilience.spring.idempotency.redis.TestRedis;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What the simulated store answers, the real stores answer too, history by history. Those with transactions are for
 * databases.
 */
@Timeout(120)
class StoreHistoriesTests {

    private static final Path FILE = Path.of("src/test/resources/store-histories.txt");

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    /** What is done, and what the simulated store answers. */
    private record Step(String line, String answer) {

        static Step of(String written) {
            String[] parts = written.split(" = ", -1);
            return new Step(parts[0], parts[1]);
        }
    }

    private interface Stage {

        /** On a store without records. */
        StoreHistoryPlayer player();
    }

    @Test
    void memoryAnswersAsTheSimulatedStore() throws IOException {
        compare(false, () -> {
            ManualTimeSource time = new ManualTimeSource();
            return new StoreHistoryPlayer(new MemoryIdempotencyStore(time), null, time::advance);
        });
    }

    @Test
    void redisAnswersAsTheSimulatedStore() throws IOException {
        IdempotencyStore store = new RedisIdempotencyStore(REDIS.connections(), "test:", new StartupWarnings());
        compare(false, () -> {
            REDIS.flush();
            return new StoreHistoryPlayer(store, null, StoreHistoriesTests::letPass);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void aDatabaseAnswersAsTheSimulatedStore(Databases database) throws IOException {
        try (HikariDataSource pool = database.pool()) {
            JdbcIdempotencyStore store = new JdbcIdempotencyStore(pool, "store_histories", true);
            store.prepare();
            compare(true, () -> {
                new JdbcTemplate(pool).update("DELETE FROM store_histories");
                return new StoreHistoryPlayer(store, pool, StoreHistoriesTests::letPass);
            });
            store.close();
        }
    }

    private static void letPass(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void compare(boolean withTransactions, Stage stage) throws IOException {
        List<String> differences = new ArrayList<>();
        for (List<Step> history : histories()) {
            boolean isTransactional =
                    history.stream().anyMatch(step -> step.line().startsWith("begin"));
            if (withTransactions || !isTransactional) {
                compare(history, stage.player(), differences::add);
            }
        }
        assertThat(differences).isEmpty();
    }

    /** Up to the first difference, from which on they go different ways. */
    private static void compare(List<Step> history, StoreHistoryPlayer player, Consumer<String> differences) {
        try (player) {
            StringBuilder done = new StringBuilder();
            for (Step step : history) {
                String answer = player.perform(step.line());
                done.append("\n  ").append(step.line()).append(" = ").append(answer);
                if (!answer.equals(step.answer())) {
                    differences.accept(done + ", but in the simulation " + step.answer());
                    return;
                }
            }
        }
    }

    private static List<List<Step>> histories() throws IOException {
        List<List<Step>> histories = new ArrayList<>();
        for (String line : Files.readAllLines(FILE)) {
            if (line.startsWith("history")) {
                histories.add(new ArrayList<>());
            } else if (!line.isBlank() && !line.startsWith("#")) {
                histories.get(histories.size() - 1).add(Step.of(line));
            }
        }
        assertThat(histories).isNotEmpty();
        return histories;
    }
}
