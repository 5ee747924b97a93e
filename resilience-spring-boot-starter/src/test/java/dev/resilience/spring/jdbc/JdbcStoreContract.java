package dev.resilience.spring.jdbc;

import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.idempotency.IdempotencyStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** What every store must do, against a real database. */
abstract class JdbcStoreContract extends IdempotencyStoreContract {

    abstract DataSource dataSource();

    @Override
    protected IdempotencyStore emptyStore() throws SQLException {
        JdbcIdempotencyStore store = new JdbcIdempotencyStore(dataSource());
        store.createSchema();
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM " + JdbcIdempotencyStore.DEFAULT_TABLE);
        }
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
