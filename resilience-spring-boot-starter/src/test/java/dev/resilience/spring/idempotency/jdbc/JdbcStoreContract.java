package dev.resilience.spring.idempotency.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.tck.IdempotencyStoreContract;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.springframework.jdbc.core.JdbcTemplate;

/** The contract on a database, of which the clock is a real one. */
abstract class JdbcStoreContract extends IdempotencyStoreContract {

    static final String TABLE = JdbcIdempotencyStore.DEFAULT_TABLE;

    final HikariDataSource pool;
    final JdbcTemplate jdbc;

    JdbcStoreContract(HikariDataSource pool) {
        this.pool = pool;
        this.jdbc = new JdbcTemplate(pool);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Override
    protected IdempotencyStore emptyStore() {
        return preparedStore();
    }

    JdbcIdempotencyStore preparedStore() {
        JdbcIdempotencyStore prepared = new JdbcIdempotencyStore(pool, TABLE, true);
        prepared.prepare();
        jdbc.update("DELETE FROM " + TABLE);
        return prepared;
    }

    @Override
    protected void letPass(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
