package dev.resilience.spring.idempotency.jdbc;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What every store must do, against real databases. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class JdbcStoreTests extends JdbcStoreContract {

    JdbcStoreTests(Databases database) {
        super(database.pool());
    }

    @Override
    protected Duration shortWhile() {
        return Duration.ofMillis(50);
    }

    @Override
    protected int races() {
        return 100;
    }
}
