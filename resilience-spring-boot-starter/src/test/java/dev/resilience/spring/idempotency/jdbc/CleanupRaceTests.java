package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyInProgressException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Records are removed while others are replayed, claimed anew and written. No call notices. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
@Timeout(120)
class CleanupRaceTests {

    private static final String TABLE = JdbcIdempotencyStore.DEFAULT_TABLE;
    private static final int KEYS = 20;
    private static final int EXPIRATIONS = 300;

    private final Databases database;
    private final List<Future<?>> running = new ArrayList<>();
    private volatile boolean over;

    CleanupRaceTests(Databases database) {
        this.database = database;
    }

    @Test
    void everyKeyHasOneEffectForEachTimeThatItIsFree() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (HikariDataSource pool = database.pool()) {
            JdbcTemplate jdbc = new JdbcTemplate(pool);
            jdbc.execute("DROP TABLE IF EXISTS effects");
            jdbc.execute("DROP TABLE IF EXISTS " + TABLE);
            jdbc.execute("CREATE TABLE effects (name VARCHAR(100))");
            TestShop.runner(pool).withBean(Calls.class).run(context -> {
                JdbcIdempotencyStore store = context.getBean(JdbcIdempotencyStore.class);
                Calls calls = context.getBean(Calls.class);
                callAll(calls, "expiring");
                List<byte[]> expiring = jdbc.queryForList("SELECT id FROM " + TABLE, byte[].class);
                callAll(calls, "live");

                Future<String> slow = threads.submit(() -> calls.callSlowly("slow"));
                for (int i = 0; i < 3; i++) {
                    running.add(threads.submit(untilItIsOver(() -> store.removeExpired(0, 5))));
                }
                for (int i = 0; i < 4; i++) {
                    Random random = new Random(i);
                    running.add(threads.submit(untilItIsOver(() -> callAny(calls, random))));
                }
                try {
                    expire(jdbc, expiring);
                } finally {
                    over = true;
                }
                for (Future<?> thread : running) {
                    thread.get();
                }
                calls.endSlowly();
                assertThat(slow.get()).isEqualTo("slow");
                callAll(calls, "expiring");

                assertThat(effects(jdbc, "live")).isEqualTo(KEYS);
                assertThat(effects(jdbc, "expiring")).isEqualTo(KEYS + EXPIRATIONS);
                assertThat(effects(jdbc, "slow")).isEqualTo(1);
            });
        } finally {
            threads.shutdownNow();
        }
    }

    private Callable<?> untilItIsOver(Runnable action) {
        return () -> {
            while (!over) {
                action.run();
            }
            return "over";
        };
    }

    private static void callAll(Calls calls, String kind) {
        for (int i = 0; i < KEYS; i++) {
            assertThat(calls.call(kind + " " + i)).isEqualTo(kind + " " + i);
        }
    }

    private static void callAny(Calls calls, Random random) {
        try {
            calls.call((random.nextInt(4) == 0 ? "live " : "expiring ") + random.nextInt(KEYS));
        } catch (IdempotencyInProgressException another) {
            // the only thing that may be in the way
        }
    }

    /** Ends the time of so many results that are live, unless a thread has failed. */
    private void expire(JdbcTemplate jdbc, List<byte[]> ids) {
        Random random = new Random(0);
        for (int expired = 0; expired < EXPIRATIONS && running.stream().noneMatch(Future::isDone); ) {
            expired += jdbc.update(
                    "UPDATE " + TABLE + " SET valid_until = 1, cleanup_after = 1"
                            + " WHERE id = ? AND state = 'C' AND valid_until > 1",
                    ids.get(random.nextInt(KEYS)));
        }
    }

    private static int effects(JdbcTemplate jdbc, String kind) {
        Integer count =
                jdbc.queryForObject("SELECT count(*) FROM effects WHERE name LIKE ?", Integer.class, kind + "%");
        return count == null ? 0 : count;
    }

    static class Calls {

        private final CountDownLatch mayEnd = new CountDownLatch(1);
        private final JdbcTemplate jdbc;

        Calls(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(key = "#key")
        @Transactional
        public String call(String key) {
            jdbc.update("INSERT INTO effects (name) VALUES (?)", key);
            return key;
        }

        void endSlowly() {
            mayEnd.countDown();
        }

        @Idempotent(key = "#key")
        @Transactional(rollbackFor = InterruptedException.class)
        public String callSlowly(String key) throws InterruptedException {
            mayEnd.await();
            return call(key);
        }
    }
}
