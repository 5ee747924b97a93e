package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.ResilienceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A transaction around a call from code commits its effect and its record, or neither. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class CallsFromCodeInTransactionsTests {

    private final Databases database;

    CallsFromCodeInTransactionsTests(Databases database) {
        this.database = database;
    }

    private static String place(TestShop shop) {
        return shop.idempotency().call("k", String.class, () -> {
            shop.jdbc().update("INSERT INTO effects VALUES ('order')");
            return "order 1";
        });
    }

    @Test
    void bothAreCommitted() {
        TestShop.with(database, shop -> {
            shop.transaction().executeWithoutResult(status -> {
                place(shop);
                assertThat(shop.stateInside()).isEqualTo("C");
                assertThat(shop.stateOutside()).isEqualTo("R");
            });
            assertThat(place(shop)).isEqualTo("order 1");

            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED, IdempotencyOutcome.REPLAYED);
        });
    }

    @Test
    void neitherIsCommittedWhereTheTransactionIsRolledBack() {
        TestShop.with(database, shop -> {
            shop.transaction().executeWithoutResult(status -> {
                place(shop);
                status.setRollbackOnly();
            });
            shop.assertEffects(0);
            assertThat(shop.stateOutside()).isNull();

            assertThat(place(shop)).isEqualTo("order 1");
            shop.assertEffects(1);
        });
    }

    @Test
    void anOwnerThatWasReplacedCommitsNothing() {
        TestShop.with(database, shop -> {
            assertThatThrownBy(() -> shop.transaction()
                            .executeWithoutResult(status -> shop.idempotency().call("k", String.class, () -> {
                                shop.jdbc().update("INSERT INTO effects VALUES ('order')");
                                shop.takeOver();
                                return "";
                            })))
                    .isInstanceOf(IdempotencyLeaseLostException.class);
            shop.assertEffects(0);
            assertThat(shop.stateOutside()).isEqualTo("R");
        });
    }

    @Test
    void aResultThatCannotBeStoredIsCommittedNeither() {
        TestShop.with(database, shop -> {
            assertThatThrownBy(() -> shop.transaction()
                            .executeWithoutResult(status -> shop.idempotency()
                                    .<Object, RuntimeException>call("k", String.class, () -> {
                                        shop.jdbc().update("INSERT INTO effects VALUES ('order')");
                                        return 5;
                                    })))
                    .isInstanceOf(ResilienceException.class);
            shop.assertEffects(0);
            assertThat(shop.stateOutside()).isNull();
        });
    }

    /** Its effects are committed by themselves, and its record when it has ended. */
    @Test
    void aTransactionInsideOfACallIsItsOwn() {
        TestShop.with(database, shop -> {
            for (int i = 0; i < 2; i++) {
                String order = shop.idempotency()
                        .call(
                                "k",
                                String.class,
                                () -> shop.transaction().execute(status -> {
                                    shop.jdbc().update("INSERT INTO effects VALUES ('order')");
                                    return "order 1";
                                }));
                assertThat(order).isEqualTo("order 1");
            }
            shop.assertEffects(1);
        });
    }
}
