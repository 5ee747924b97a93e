package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A result of exactly max-result-size, and one of a byte more. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class ResultSizeTests {

    private static final int SIZE = "\"order 1\"".length();

    private final Databases database;

    ResultSizeTests(Databases database) {
        this.database = database;
    }

    private void with(int maxResultSize, TestShop.Use use) {
        TestShop.with(database, use, "resilience.idempotency.default.max-result-size=" + maxResultSize + "B");
    }

    @Test
    void theLargestIsWrittenInATransaction() {
        with(SIZE, shop -> {
            assertThat(shop.orders().place("k")).isEqualTo("order 1");
            assertThat(shop.orders().place("k")).isEqualTo("order 1");
            shop.assertEffects(1);
        });
    }

    @Test
    void aLargerOneRollsItsTransactionBack() {
        with(SIZE - 1, shop -> {
            assertThatExceptionOfType(IdempotencyStoreException.class)
                    .isThrownBy(() -> shop.orders().place("k"))
                    .withMessageContaining(SIZE + " bytes")
                    .withMessageContaining("max-result-size (" + (SIZE - 1) + ")");

            shop.assertEffects(0);
            assertThat(shop.stateOutside()).isNull();
            shop.assertCounted(IdempotencyOutcome.RELEASED);
        });
    }

    @Test
    void theLargestIsWrittenWithoutATransaction() {
        with(SIZE, shop -> {
            assertThat(shop.orders().placeWithoutTransaction("k")).isEqualTo("order 1");
            assertThat(shop.orders().placeWithoutTransaction("k")).isEqualTo("order 1");
            shop.assertEffects(1);
        });
    }

    @Test
    void aLargerOneWithoutATransactionReachesTheCallerAndIsNotWritten() {
        with(SIZE - 1, shop -> {
            assertThat(shop.orders().placeWithoutTransaction("k")).isEqualTo("order 1");

            assertThat(shop.stateOutside()).isNull();
            shop.assertCounted(IdempotencyOutcome.RELEASED);
        });
    }
}
