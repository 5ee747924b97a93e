package dev.resilience.spring.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class H2StoreTests extends JdbcStoreContract {

    private static HikariDataSource pool;

    @BeforeAll
    static void start() {
        pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:idempotency;DB_CLOSE_DELAY=-1");
    }

    @AfterAll
    static void stop() {
        pool.close();
    }

    @Override
    DataSource dataSource() {
        return pool;
    }
}
