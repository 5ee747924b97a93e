package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Wherever a fallback stands in the order, its answer is not stored, whose transaction ever the record is written in. */
class FallbackAnswersInTransactionsTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fallback,idempotent,bulkhead,circuit-breaker,retry,time-limit",
                "idempotent,fallback,bulkhead,circuit-breaker,retry,time-limit",
                "idempotent,bulkhead,circuit-breaker,retry,time-limit,fallback"
            })
    void inATransactionOfTheMethod(String order) {
        with(order, shop -> {
            FallbackShop orders = shop.beans().getBean(FallbackShop.class);

            assertThat(orders.place("k")).isEqualTo("later");
            assertThat(shop.stateOutside()).isNull();
            shop.assertEffects(0);
            assertThat(orders.place("k")).isEqualTo("order 2");
            assertThat(orders.place("k")).isEqualTo("order 2");
            shop.assertEffects(1);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idempotent,fallback,bulkhead,circuit-breaker,retry,time-limit",
                "idempotent,bulkhead,circuit-breaker,retry,time-limit,fallback"
            })
    void inATransactionOfTheCaller(String order) {
        with(order, shop -> {
            FallbackShop orders = shop.beans().getBean(FallbackShop.class);

            assertThat(shop.transaction().<String>execute(status -> orders.prepare("k")))
                    .isEqualTo("later");
            assertThat(shop.stateOutside()).isNull();
            assertThat(shop.transaction().<String>execute(status -> orders.prepare("k")))
                    .isEqualTo("order 2");
            assertThat(orders.prepare("k")).isEqualTo("order 2");
        });
    }

    private static void with(String order, TestShop.Use use) {
        TestShop.with(
                Databases.H2,
                pool -> {},
                runner -> runner.withBean(FallbackShop.class)
                        .withPropertyValues("resilience.order=" + order, "resilience.retry.default.max-attempts=1"),
                use);
    }

    static class FallbackShop {

        @Autowired
        JdbcTemplate jdbc;

        private final AtomicInteger calls = new AtomicInteger();

        @Fallback("later")
        @Idempotent(key = "#key")
        @Retryable("default")
        @Transactional
        public String place(String key) {
            jdbc.update("INSERT INTO effects VALUES (?)", key);
            return number();
        }

        @Fallback("later")
        @Idempotent(key = "#key")
        @Retryable("default")
        public String prepare(String key) {
            return number();
        }

        private String number() {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException();
            }
            return "order " + calls.get();
        }

        String later() {
            return "later";
        }
    }
}
