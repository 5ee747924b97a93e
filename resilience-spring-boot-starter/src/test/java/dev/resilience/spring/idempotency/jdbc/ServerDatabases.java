package dev.resilience.spring.idempotency.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import org.h2.tools.Server;

/** Real databases that several processes can use at once. */
enum ServerDatabases {
    H2 {
        @Override
        String url() {
            return "jdbc:h2:tcp://localhost:" + H2Server.RUNNING.getPort() + "/mem:crash;DB_CLOSE_DELAY=-1";
        }

        @Override
        String user() {
            return "sa";
        }
    },
    POSTGRESQL {
        @Override
        String url() {
            try (HikariDataSource pool = Databases.POSTGRESQL.pool()) {
                return pool.getJdbcUrl();
            }
        }

        @Override
        String user() {
            return "postgres";
        }
    };

    static final boolean IS_LONG = "long".equals(System.getProperty("stress"));

    /** All with {@code -Plong}; otherwise the one that is not made for tests. */
    static List<ServerDatabases> ofThisBuild() {
        return IS_LONG ? List.of(values()) : List.of(POSTGRESQL);
    }

    /** One of two numbers: the second with {@code -Plong}. */
    static int ofThisBuild(int ordinarily, int atLength) {
        return IS_LONG ? atLength : ordinarily;
    }

    abstract String url();

    abstract String user();

    HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url());
        pool.setUsername(user());
        return pool;
    }

    /** Stops with the JVM. */
    private static final class H2Server {

        static final Server RUNNING = start();

        private static Server start() {
            try {
                return Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
            } catch (SQLException broken) {
                throw new IllegalStateException(broken);
            }
        }
    }
}
