package dev.resilience.spring.idempotency.jdbc.connection;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
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
 * A connection beside those of the application's pool, configured like them. It is opened when it is first needed, closed
 * when it was idle for as long as the pool's may be, and in no metrics. Only beside a pool of HikariCP that is not
 * wrapped: a wrapper may do something to connections that would be missing here.
 */
public final class SpareConnection implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SpareConnection.class);
    private static final LogLine MISSED = LogLine.warn("idempotency_connection_failed");
    private static final int LONGEST_WAIT_MILLIS = 5_000;
    private static final int SHORT_WAIT_MILLIS = 250;

    /** How often the pool's connections are used after a miss before this one is tried again: each try takes its time. */
    private static final int SKIPPED_AFTER_MISS = 10;

    /** A database in memory that each connection has for itself. */
    private static final Pattern PRIVATE_DATABASE = Pattern.compile("jdbc:h2:mem:(;.*)?");

    private final HikariDataSource pool;
    private @Nullable HikariDataSource apart;
    private boolean closed;
    private volatile boolean isMissed;
    private final AtomicInteger toBeSkipped = new AtomicInteger();

    private SpareConnection(HikariDataSource pool) {
        this.pool = pool;
    }

    /** {@code null} if there can be none. */
    public static @Nullable SpareConnection beside(DataSource pool) {
        return pool.getClass() == HikariDataSource.class
                        && pool instanceof HikariDataSource ofHikari
                        && !isPrivate(ofHikari.getJdbcUrl())
                ? new SpareConnection(ofHikari)
                : null;
    }

    private static boolean isPrivate(@Nullable String url) {
        return url != null && PRIVATE_DATABASE.matcher(url).matches();
    }

    /** One of the application's pool if it is to be had in a moment, or else this one; {@code null} if neither is. */
    @Nullable
    public Connection ofPoolOrGet() {
        if (!new PoolState(pool).isTaken() && pool.getHikariPoolMXBean() instanceof HikariPool open) {
            try {
                return open.getConnection(SHORT_WAIT_MILLIS);
            } catch (SQLException taken) {
                return get();
            }
        }
        return get();
    }

    /** {@code null} if it is not to be had: then the pool's are left. No answer of the server is waited for without a bound. */
    @Nullable
    public Connection get() {
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
                                "The connection for idempotency records beside those of {} could not be opened; those of "
                                        + "the pool are used until it can",
                                pool.getPoolName());
            }
            return null;
        }
    }

    private static Connection bounded(Connection connection) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, LONGEST_WAIT_MILLIS);
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
        HikariDataSource opened = apart;
        if (opened == null) {
            opened = new HikariDataSource(configuration());
            apart = opened;
        }
        opened.setCredentials(pool.getCredentials()); // which may change while the application runs
        return opened;
    }

    private HikariConfig configuration() {
        HikariConfig like = new HikariConfig();
        pool.copyStateTo(like);
        like.setPoolName(pool.getPoolName() + "-idempotency");
        like.setMaximumPoolSize(1);
        like.setMinimumIdle(0);
        like.setConnectionTimeout(Math.min(like.getConnectionTimeout(), LONGEST_WAIT_MILLIS));
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
        if (apart != null) {
            apart.close();
        }
    }
}
