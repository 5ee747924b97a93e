package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyStoreException;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A session whose client is gone, and which the server has not noticed, has the record locked. No call waits for it: each
 * test ends that session only when the call has its answer.
 */
@ParameterizedClass
@EnumSource(names = {"H2", "POSTGRESQL"})
@Timeout(60)
class LockedByDeadClientTests {

    private final Databases database;

    LockedByDeadClientTests(Databases database) {
        this.database = database;
    }

    private interface Use {

        void with(TestShop shop, Connection dead) throws Exception;
    }

    private void with(Use use) {
        TestShop.with(database, TestShop.pool(1, Duration.ofSeconds(5)), runner -> runner, shop -> {
            try (Connection dead =
                    Objects.requireNonNull(shop.outside().getDataSource()).getConnection()) {
                shop.orders().beforeReturning(() -> DroppedCommitTests.lockRecords(dead));
                use.with(shop, dead);
            }
        });
    }

    private static void noticed(TestShop shop, Connection dead) throws Exception {
        shop.orders().beforeReturning(() -> {});
        dead.rollback();
        dead.setAutoCommit(true);
    }

    @Test
    void aCallHasItsResultAndThatIsStoredLater() {
        with((shop, dead) -> {
            assertThat(shop.orders().placeWithoutTransaction("k")).isEqualTo("order 1");
            assertThat(shop.jdbc().queryForList("SELECT name FROM effects", String.class))
                    .as("the pool's only connection is free")
                    .containsExactly("order 1");
            shop.assertCounted();

            noticed(shop, dead);
            shop.awaitCounted(IdempotencyOutcome.EXECUTED);
            assertThat(shop.orders().placeWithoutTransaction("k")).isEqualTo("order 1");
        });
    }

    @Test
    void aCallHasItsExceptionAndTheKeyIsFreedLater() {
        with((shop, dead) -> {
            shop.orders().beforeReturning(() -> {
                DroppedCommitTests.lockRecords(dead);
                throw new IllegalStateException("of the body");
            });

            assertThatThrownBy(() -> shop.orders().placeWithoutTransaction("k")).hasMessage("of the body");
            shop.assertCounted();

            noticed(shop, dead);
            shop.awaitCounted(IdempotencyOutcome.RELEASED);
            assertThat(shop.orders().placeWithoutTransaction("k")).isEqualTo("order 2");
        });
    }

    @Test
    void aTransactionIsRolledBack() {
        with((shop, dead) -> {
            assertThatThrownBy(() -> shop.orders().place("k")).isInstanceOf(IdempotencyStoreException.class);
            shop.assertEffects(0);

            noticed(shop, dead);
            shop.awaitCounted(IdempotencyOutcome.RELEASED);
            assertThat(shop.orders().place("k")).isEqualTo("order 2");
            shop.assertEffects(1);
        });
    }

    /** The database is used by others too. */
    @Test
    void aBoundOfTheApplicationsOwnStays() {
        if (database != Databases.POSTGRESQL) {
            return; // has none
        }
        with((shop, dead) -> {
            shop.orders().beforeReturning(() -> {});
            shop.transaction().executeWithoutResult(status -> {
                shop.orders().place("k");
                assertThat(shop.jdbc().queryForObject("SHOW lock_timeout", String.class))
                        .isEqualTo("0");
            });
            shop.assertEffects(1);
        });
    }
}
