package dev.resilience.spring.idempotency.jdbc.connection;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Tells of a pool of HikariCP, wrapped or not, whether its connections are taken. */
public record PoolState(HikariDataSource pool) {

    /** {@code null} if there is no such pool behind a data source. */
    public static @Nullable PoolState behind(DataSource source) {
        try {
            return source.isWrapperFor(HikariDataSource.class)
                    ? new PoolState(source.unwrap(HikariDataSource.class))
                    : null;
        } catch (SQLException | RuntimeException unknown) { // a data source that cannot be asked
            return null;
        }
    }

    /** Whether a thread that asks for a connection probably has to wait. */
    public boolean isTaken() {
        HikariPoolMXBean state = pool.getHikariPoolMXBean();
        return state != null
                && state.getIdleConnections() == 0
                && state.getTotalConnections() >= pool.getMaximumPoolSize();
    }
}
