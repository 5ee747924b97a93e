package dev.resilience.spring.idempotency.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Real databases, started when a test wants one and stopped with the JVM. */
public enum Databases {
    H2 {
        @Override
        public HikariDataSource pool() {
            return connect("jdbc:h2:mem:idempotency;DB_CLOSE_DELAY=-1", "sa");
        }
    },
    POSTGRESQL {
        @Override
        public HikariDataSource pool() {
            return connect(Server.POSTGRES.getJdbcUrl("postgres", "postgres"), "postgres");
        }
    },
    /** A server that somebody has started: {@code -Dmariadb.url=jdbc:mariadb://localhost/test?user=root}. */
    MARIADB {
        @Override
        public HikariDataSource pool() {
            return connect(System.getProperty("mariadb.url"), null);
        }

        @Override
        String now() {
            return "CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)";
        }

        @Override
        boolean isAtHand() {
            return System.getProperty("mariadb.url") != null;
        }
    };

    boolean isAtHand() {
        return true;
    }

    /** The current time in SQL, in microseconds since 1970. */
    String now() {
        return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)";
    }

    /** A new pool of connections, to be closed. */
    public abstract HikariDataSource pool();

    /** Those that a test can use. */
    public static List<Databases> atHand() {
        return Arrays.stream(values()).filter(Databases::isAtHand).toList();
    }

    private static HikariDataSource connect(@Nullable String url, @Nullable String user) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setUsername(user);
        pool.setMinimumIdle(0); // tests that never need ten connections do not open ten
        return pool;
    }

    /** Started by the first who asks; stops itself with the JVM. */
    private static final class Server {

        static final EmbeddedPostgres POSTGRES = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder().start();
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }
    }
}
