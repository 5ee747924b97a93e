package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.spring.StartupWarnings;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A store that the application defines itself has all that the one of the library has. */
class OwnStoreTests {

    private static void with(TestShop.Use use) {
        TestShop.with(Databases.H2, pool -> {}, runner -> runner.withUserConfiguration(OwnStore.class), use);
    }

    @Test
    void effectAndRecordCommitTogether() {
        with(TestShop::assertCommitsBoth);
    }

    @Test
    void andAreRolledBackTogether() {
        with(shop -> {
            shop.transaction().executeWithoutResult(status -> {
                assertThat(shop.orders().place("k")).isEqualTo("order 1");
                status.setRollbackOnly();
            });

            shop.assertEffects(0);
            assertThat(shop.stateOutside()).isNull();
            shop.assertCounted(IdempotencyOutcome.RELEASED);
        });
    }

    @Test
    void itIsCleanedUpAndItsMethodsAreChecked() {
        with(shop -> {
            assertThat(shop.beans().getBean(Cleanup.class).isRunning()).isTrue();
            assertThat(shop.beans().getBean(StartupWarnings.class).all())
                    .anyMatch(warning -> warning.contains("Orders.look(") && warning.contains("read-only"));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnStore {

        @Bean
        JdbcIdempotencyStore store(DataSource dataSource) {
            return new JdbcIdempotencyStore(dataSource, JdbcIdempotencyStore.DEFAULT_TABLE, true);
        }
    }
}
