package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.RecordKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 can look like other databases, and is a store all the same. */
@ParameterizedClass
@ValueSource(
        strings = {
            "DB2",
            "Derby",
            "HSQLDB",
            "LEGACY",
            "MariaDB",
            "MSSQLServer",
            "MySQL",
            "MySQL;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
            "Oracle",
            "PostgreSQL",
            "REGULAR;DATABASE_TO_UPPER=FALSE",
            "STRICT"
        })
class H2ModesTests extends JdbcStoreContract {

    H2ModesTests(String mode) {
        super(inMode(mode));
    }

    private static HikariDataSource inMode(String mode) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:mode;MODE=" + mode);
        pool.setUsername("sa");
        pool.setMinimumIdle(1); // without any there would be no database
        return pool;
    }

    @Override
    protected Duration shortWhile() {
        return Duration.ofMillis(20);
    }

    @Override
    protected int races() {
        return 10;
    }

    @Test
    void expiredRecordsAreRemoved() {
        JdbcIdempotencyStore own = preparedStore();
        for (String key : new String[] {"one", "two", "three"}) {
            own.claim(uncompared(key, "first"));
        }
        jdbc.update("UPDATE " + TABLE + " SET state = 'C', valid_until = 0, cleanup_after = 0");

        assertThat(own.removeExpired(0, 2)).isZero();
        assertThat(own.removeExpired(0, 2)).isEqualTo(RecordTable.ALL_REMOVED);
        assertThat(jdbc.queryForObject("SELECT count(*) FROM " + TABLE, Integer.class))
                .isZero();
    }

    @Test
    void argumentsNeedNotBeCompared() {
        assertThat(store.claim(uncompared("key", "first"))).isInstanceOf(Claim.Acquired.class);
        assertThat(store.claim(uncompared("key", "second"))).isInstanceOf(Claim.InProgress.class);
    }

    private static ClaimRequest uncompared(String key, String owner) {
        Duration hour = Duration.ofHours(1);
        return new ClaimRequest(RecordKey.of("pay", "", key), owner, "", hour, hour, true);
    }
}
