package dev.resilience.spring.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresStoreTests extends JdbcStoreContract {

    private static EmbeddedPostgres server;
    private static HikariDataSource pool;

    @BeforeAll
    static void start() throws IOException {
        server = EmbeddedPostgres.builder().start();
        pool = new HikariDataSource();
        pool.setDataSource(server.getPostgresDatabase());
    }

    @AfterAll
    static void stop() throws IOException {
        pool.close();
        server.close();
    }

    @Override
    DataSource dataSource() {
        return pool;
    }
}
