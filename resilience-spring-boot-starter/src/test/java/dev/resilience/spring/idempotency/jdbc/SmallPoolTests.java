package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyStoreException;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.jdbc.autoconfigure.DataSourcePoolMetadataProvidersConfiguration;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A wrapped pool of one connection, beside which there is none apart. The call is refused if the caller's transaction has
 * it, and says why.
 */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
@Timeout(60)
class SmallPoolTests {

    private final Databases database;

    SmallPoolTests(Databases database) {
        this.database = database;
    }

    private void with(TestShop.Use use) {
        with(TestShop.pool(1, Duration.ofMillis(250)), use);
    }

    private void with(Consumer<HikariDataSource> settings, TestShop.Use use) {
        TestShop.with(
                database,
                settings,
                runner -> runner.withBean(Wrapping.class)
                        .withUserConfiguration(DataSourcePoolMetadataProvidersConfiguration.class),
                use);
    }

    private static ThrowableAssertAlternative<?> assertRefused(TestShop shop) {
        return assertThatExceptionOfType(IdempotencyStoreException.class)
                .isThrownBy(() -> shop.orders().place("k"))
                .havingCause()
                .isInstanceOf(JdbcStore.JdbcStoreException.class);
    }

    @Test
    void theClaimGivesItsConnectionBackBeforeTheTransactionBegins() {
        with(TestShop::assertCommitsBoth);
    }

    @Test
    void theReleaseComesWhenTheTransactionHasGivenItsConnectionBack() {
        with(TestShop::assertCommitsNeither);
    }

    @Test
    void aSerializableTransactionNeedsNoSecondOne() {
        with(
                TestShop.pool(1, Duration.ofSeconds(5))
                        .andThen(pool -> pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE")),
                TestShop::assertCommitsBoth);
    }

    @Test
    void aTransactionAroundTheCallCanGoOnWithoutIt() {
        with(shop -> {
            shop.transaction().executeWithoutResult(status -> {
                shop.jdbc().update("INSERT INTO effects (name) VALUES ('before')");
                assertRefused(shop)
                        .withMessageContaining("needs a second one")
                        .withMessageContaining("pool is too small")
                        .withMessageContaining("spring.datasource.hikari.maximum-pool-size")
                        .withMessageContaining("outside the transaction");
                shop.jdbc().update("INSERT INTO effects (name) VALUES ('after')");
            });

            shop.assertEffects(2);
            shop.assertCounted(IdempotencyOutcome.STORE_FAILURE);
            assertThat(shop.orders().place("k")).isEqualTo("order 1");
        });
    }

    @Test
    void aTransactionAroundTheCallCanBeRolledBack() {
        with(shop -> {
            assertThatExceptionOfType(IdempotencyStoreException.class)
                    .isThrownBy(() -> shop.transaction().execute(status -> {
                        shop.jdbc().update("INSERT INTO effects (name) VALUES ('before')");
                        return shop.orders().place("k");
                    }));

            shop.assertEffects(0);
            assertThat(shop.orders().place("k")).isEqualTo("order 1");
        });
    }

    @Test
    void aConnectionThatSomebodyElseHasIsNotBlamedOnATransaction() {
        with(shop -> {
            try (Connection taken =
                    Objects.requireNonNull(shop.jdbc().getDataSource()).getConnection()) {
                assertThat(taken.isClosed()).isFalse();
                assertRefused(shop).withMessageNotContaining("transaction");
            }

            assertThat(shop.orders().place("k")).isEqualTo("order 1");
        });
    }

    /** Wraps the pool, so that there is no connection apart. */
    static final class Wrapping implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof HikariDataSource pool ? new DelegatingDataSource(pool) : bean;
        }
    }
}
