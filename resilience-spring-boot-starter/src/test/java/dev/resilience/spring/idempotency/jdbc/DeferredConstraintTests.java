package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyOutcome;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A constraint that PostgreSQL checks at the commit itself, when the record was long written. With translation of
 * exceptions Spring then reports a rollback, without it an unknown end of the transaction.
 */
class DeferredConstraintTests {

    private static void with(boolean translation, int poolSize, TestShop.Use use) {
        TestShop.with(
                Databases.POSTGRESQL,
                TestShop.pool(poolSize, Duration.ofSeconds(5)),
                runner -> runner.withPropertyValues("spring.dao.exceptiontranslation.enabled=" + translation),
                shop -> {
                    shop.outside().execute("DROP TABLE IF EXISTS articles CASCADE");
                    shop.outside().execute("CREATE TABLE articles (name VARCHAR(100) PRIMARY KEY)");
                    shop.outside()
                            .execute("ALTER TABLE effects ADD FOREIGN KEY (name) REFERENCES articles"
                                    + " DEFERRABLE INITIALLY DEFERRED");
                    use.with(shop);
                });
    }

    private static void assertFailsAtTheCommit(TestShop shop, ThrowingCallable call) {
        assertThatThrownBy(call).hasStackTraceContaining("violates foreign key constraint");
        shop.assertEffects(0);
        shop.awaitCounted(IdempotencyOutcome.RELEASED);
        assertThat(shop.stateOutside()).isNull();

        shop.outside().update("INSERT INTO articles VALUES ('order 2')");
        assertThat(shop.orders().place("k")).isEqualTo("order 2");
        shop.assertEffects(1);
        shop.assertCounted(IdempotencyOutcome.RELEASED, IdempotencyOutcome.EXECUTED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inTheMethodsOwnTransaction(boolean translation) {
        with(
                translation,
                1,
                shop -> assertFailsAtTheCommit(shop, () -> shop.orders().place("k")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inATransactionAroundTheCall(boolean translation) {
        with(
                translation,
                2,
                shop -> assertFailsAtTheCommit(
                        shop,
                        () -> shop.transaction().executeWithoutResult(status -> {
                            assertThat(shop.orders().place("k")).isEqualTo("order 1");
                            assertThat(shop.stateInside()).isEqualTo("C");
                        })));
    }
}
