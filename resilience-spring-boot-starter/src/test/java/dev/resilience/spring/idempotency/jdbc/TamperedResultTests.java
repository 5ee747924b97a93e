package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.spring.idempotency.TamperedResultContract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class TamperedResultTests extends TamperedResultContract {

    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;

    TamperedResultTests(Databases database) {
        this.pool = database.pool();
        this.jdbc = new JdbcTemplate(pool);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Override
    protected ApplicationContextRunner application() {
        jdbc.execute("DROP TABLE IF EXISTS " + JdbcIdempotencyStore.DEFAULT_TABLE);
        return TestShop.runner(pool);
    }

    @Override
    protected void overwrite(byte[] result) {
        assertThat(jdbc.update("UPDATE " + JdbcIdempotencyStore.DEFAULT_TABLE + " SET result = ?", result))
                .isEqualTo(1);
    }
}
