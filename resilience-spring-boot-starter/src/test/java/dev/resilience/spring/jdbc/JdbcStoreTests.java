package dev.resilience.spring.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.idempotency.IdempotencyStoreContract;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What every store must do, against real databases. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.jdbc.Databases#atHand")
class JdbcStoreTests extends IdempotencyStoreContract {

    private final HikariDataSource pool;

    JdbcStoreTests(Databases database) {
        this.pool = database.pool();
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Override
    protected IdempotencyStore emptyStore() {
        JdbcIdempotencyStore store = new JdbcIdempotencyStore(pool, JdbcIdempotencyStore.DEFAULT_TABLE, true);
        store.prepare();
        new JdbcTemplate(pool).update("DELETE FROM " + JdbcIdempotencyStore.DEFAULT_TABLE);
        return store;
    }

    /** The database's clock is a real one. */
    @Override
    protected void letPass(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    protected Duration shortWhile() {
        return Duration.ofMillis(50);
    }

    @Override
    protected int races() {
        return 100;
    }
}
