package dev.resilience.spring.ratelimit.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.ratelimit.RateLimitStore;
import dev.resilience.spring.idempotency.jdbc.Databases;
import dev.resilience.spring.ratelimit.RateLimitStoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class JdbcRateLimitStoreTests extends RateLimitStoreContract {

    private static final String TABLE = "resilience_rate_limit";

    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;

    JdbcRateLimitStoreTests(Databases database) {
        this.pool = database.pool();
        this.jdbc = new JdbcTemplate(pool);
    }

    @Override
    protected RateLimitStore emptyStore() {
        jdbc.execute("DROP TABLE IF EXISTS " + TABLE);
        return new JdbcRateLimitStore(pool, TABLE, true);
    }

    @AfterEach
    void close() throws Exception {
        ((AutoCloseable) store).close();
        pool.close();
    }

    @Override
    protected void pass(String limit, Duration time) {
        jdbc.update("UPDATE " + TABLE + " SET back_at = back_at - ?", time.toMillis() * 1_000);
    }

    @Override
    protected void passForNodes(String limit, Duration time) {
        pass(limit, time);
    }

    private int takeAll() {
        RateLimitPolicy policy = RateLimitPolicy.builder()
                .permits(10)
                .period(Duration.ofHours(10))
                .build();
        return store.take(request("limit", null, policy, 10, 0, Duration.ZERO, 0))
                .granted();
    }

    @Test
    void aTransactionThatIsRolledBackGivesNoPermitBackAndLocksNothing() {
        new TransactionTemplate(new DataSourceTransactionManager(pool)).executeWithoutResult(transaction -> {
            jdbc.queryForObject("SELECT 1", Integer.class);
            assertThat(takeAll()).isEqualTo(10);
            assertThat(java.util.concurrent.CompletableFuture.supplyAsync(this::takeAll)
                            .join())
                    .isZero();
            transaction.setRollbackOnly();
        });
        assertThat(takeAll()).isZero();
    }

    @Test
    void rowsThatAreOfNoUseAreRemoved() {
        takeAll();
        store.nodes("limit", "a");
        jdbc.update("UPDATE " + TABLE + " SET cleanup_after = 1");
        store.nodes("other", "b");
        store.nodes("other", "b");
        assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM " + TABLE, Integer.class))
                .isEqualTo(1);
    }
}
