package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyLeaseLostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A commit that the server never got, while the call cannot tell that from one whose answer was lost. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
@Timeout(60)
class DroppedCommitTests {

    private static final String TABLE = JdbcIdempotencyStore.DEFAULT_TABLE;

    private final Databases database;

    DroppedCommitTests(Databases database) {
        this.database = database;
    }

    private void with(TestShop.Use use) {
        TestShop.with(
                database,
                pool -> {},
                runner -> runner.withUserConfiguration(Dropping.class)
                        .withPropertyValues(
                                "resilience.retry.default.retry-on=" + TransactionSystemException.class.getName()),
                use);
    }

    private static void dropNext(TestShop shop, Runnable then) {
        ((Dropping.Manager) shop.transactions()).afterDropping = then;
    }

    @Test
    void theNextAttemptRunsAgain() {
        with(shop -> {
            dropNext(shop, () -> {});

            assertThat(shop.orders().placeWithRetry("k")).isEqualTo("order 2");

            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
            assertThat(shop.orders().placeWithRetry("k")).isEqualTo("order 2");
        });
    }

    @Test
    void theNextAttemptDoesNotReturnTheResultOfACallThatWasTakenOver() {
        with(shop -> {
            dropNext(shop, shop::takeOver);

            assertThatThrownBy(() -> shop.orders().placeWithRetry("k"))
                    .isInstanceOf(IdempotencyLeaseLostException.class);

            shop.assertEffects(0);
            shop.assertCounted(IdempotencyOutcome.LEASE_LOST);
        });
    }

    @Test
    void theNextAttemptDoesNotTakeTheResultOfItsSuccessorForItsOwn() {
        with(shop -> {
            dropNext(shop, () -> {
                shop.takeOver();
                shop.outside().update("UPDATE " + TABLE + " SET state = 'C'");
            });

            assertThatThrownBy(() -> shop.orders().placeWithRetry("k"))
                    .isInstanceOf(IdempotencyLeaseLostException.class);

            shop.assertEffects(0);
            shop.assertCounted(IdempotencyOutcome.LEASE_LOST);
        });
    }

    @Test
    void theNextAttemptDoesNotTakeAMissingRecordForItsOwn() {
        with(shop -> {
            dropNext(shop, () -> shop.outside().update("DELETE FROM " + TABLE));

            assertThatThrownBy(() -> shop.orders().placeWithRetry("k"))
                    .isInstanceOf(IdempotencyLeaseLostException.class);

            shop.assertEffects(0);
            shop.assertCounted(IdempotencyOutcome.LEASE_LOST);
        });
    }

    /** The server has not noticed that its client is gone. */
    @Test
    void theNextAttemptDoesNotWaitForATransactionThatIsStillAlive() throws SQLException {
        with(shop -> {
            try (Connection alive =
                    Objects.requireNonNull(shop.outside().getDataSource()).getConnection()) {
                dropNext(shop, () -> lockRecords(alive));

                assertThatThrownBy(() -> shop.orders().placeWithRetry("k"))
                        .isInstanceOf(IdempotencyInProgressException.class)
                        .hasMessageContaining("earlier attempt");
                shop.assertCounted(IdempotencyOutcome.OUTCOME_UNKNOWN);

                alive.rollback();
                alive.setAutoCommit(true);
            }
            assertThatThrownBy(() -> shop.orders().placeWithRetry("k"))
                    .isInstanceOf(IdempotencyInProgressException.class)
                    .hasMessageContaining("is running");
            shop.endLease();
            assertThat(shop.orders().placeWithRetry("k")).isEqualTo("order 2");
            shop.assertEffects(1);
        });
    }

    static void lockRecords(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeQuery("SELECT id FROM " + TABLE + " FOR UPDATE").close();
        } catch (SQLException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Dropping {

        @Bean
        Manager transactionManager(DataSource dataSource) {
            return new Manager(dataSource);
        }

        static final class Manager extends DataSourceTransactionManager {

            private @Nullable Runnable afterDropping;

            Manager(DataSource dataSource) {
                super(dataSource);
            }

            @Override
            protected void doCommit(DefaultTransactionStatus status) {
                Runnable then = afterDropping;
                if (then == null) {
                    super.doCommit(status);
                    return;
                }
                afterDropping = null;
                super.doRollback(status);
                then.run();
                throw new TransactionSystemException("the answer is lost");
            }
        }
    }
}
