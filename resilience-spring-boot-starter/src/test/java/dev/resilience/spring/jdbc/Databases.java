package dev.resilience.spring.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Real databases, started when a test wants one and stopped with the JVM. */
enum Databases {
    H2 {
        @Override
        HikariDataSource pool() {
            return connect("jdbc:h2:mem:idempotency;DB_CLOSE_DELAY=-1", "sa");
        }
    },
    POSTGRESQL {
        @Override
        HikariDataSource pool() {
            return connect(Server.POSTGRES.getJdbcUrl("postgres", "postgres"), "postgres");
        }
    };

    /** A new pool of connections, to be closed. */
    abstract HikariDataSource pool();

    private static HikariDataSource connect(String url, String user) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setUsername(user);
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
