package dev.resilience.spring.idempotency.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.log.LogLine;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two connections beside those of the application's pool, configured like them: two, so that a result does not wait for a
 * renewal that hangs. The pool is opened when it is first needed, its connections are closed when they were idle for as
 * long as the application's may be, and it is in no metrics. Only beside a pool of HikariCP that is not wrapped: a wrapper
 * may do something to connections that would be missing here.
 */
final class OwnPool implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(OwnPool.class);
    private static final LogLine MISSED = LogLine.warn("idempotency_connection_failed");
    private static final int MAX_WAIT_MILLIS = 5_000;

    /** How often the application's connections are used after a miss before these are tried again: each try takes its time. */
    private static final int SKIPPED_AFTER_MISS = 10;

    /** A database in memory that each connection has for itself. */
    private static final Pattern PRIVATE_DATABASE = Pattern.compile("jdbc:h2:mem:(;.*)?");

    private final HikariDataSource pool;
    private @Nullable HikariDataSource own;
    private boolean closed;
    private volatile boolean isMissed;
    private final AtomicInteger toBeSkipped = new AtomicInteger();

    private OwnPool(HikariDataSource pool) {
        this.pool = pool;
    }

    /** {@code null} if there can be none. */
    static @Nullable OwnPool beside(DataSource pool) {
        return pool.getClass() == HikariDataSource.class
                        && pool instanceof HikariDataSource ofHikari
                        && !PRIVATE_DATABASE
                                .matcher(String.valueOf(ofHikari.getJdbcUrl()))
                                .matches()
                ? new OwnPool(ofHikari)
                : null;
    }

    /** {@code null} if none is to be had: then the application's are left. No answer of the server is waited for without a bound. */
    @Nullable
    Connection get() {
        if (toBeSkipped.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return null;
        }
        try {
            HikariDataSource opened = opened();
            Connection connection = opened == null ? null : bounded(opened.getConnection());
            isMissed = false;
            return connection;
        } catch (SQLException | RuntimeException unavailable) {
            toBeSkipped.set(SKIPPED_AFTER_MISS);
            if (!isMissed) {
                isMissed = true;
                MISSED.in(log)
                        .setCause(unavailable)
                        .log(
                                "The connections for idempotency records beside those of {} could not be opened; those of "
                                        + "the pool are used until they can",
                                pool.getPoolName());
            }
            return null;
        }
    }

    private static Connection bounded(Connection connection) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, MAX_WAIT_MILLIS);
        } catch (SQLFeatureNotSupportedException unbounded) {
            return connection;
        } catch (SQLException broken) {
            connection.close();
            throw broken;
        }
        return connection;
    }

    private synchronized @Nullable HikariDataSource opened() {
        if (closed || pool.isClosed()) {
            return null;
        }
        HikariDataSource opened = own;
        if (opened == null) {
            opened = new HikariDataSource(configuration());
            own = opened;
        }
        opened.setCredentials(pool.getCredentials()); // which may change while the application runs
        return opened;
    }

    private HikariConfig configuration() {
        HikariConfig like = new HikariConfig();
        pool.copyStateTo(like);
        like.setPoolName(pool.getPoolName() + "-idempotency");
        like.setMaximumPoolSize(2);
        like.setMinimumIdle(0);
        like.setConnectionTimeout(MAX_WAIT_MILLIS);
        like.setInitializationFailTimeout(-1);
        like.setAutoCommit(true);
        like.setRegisterMbeans(false);
        like.setHealthCheckRegistry(null);
        if (like.getMetricRegistry() != null) {
            like.setMetricRegistry(null);
        }
        if (like.getMetricsTrackerFactory() != null) {
            like.setMetricsTrackerFactory(null);
        }
        return like;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (own != null) {
            own.close();
        }
    }
}
