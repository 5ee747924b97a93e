package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.exception.IdempotencyInProgressException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * In a pool whose connections have a strict isolation the end of a call and the renewal of its lease cannot be serialised if
 * they meet. They are repeated, and no key runs twice.
 */
class StrictPoolTests {

    private static final int THREADS = 8;

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
    void noKeyRunsTwice(String isolation) {
        assertNoKeyRunsTwice(isolation, 200);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
    void noneOfThousandsOfKeysRunsTwice(String isolation) {
        assertNoKeyRunsTwice(isolation, 10_000);
    }

    private static void assertNoKeyRunsTwice(String isolation, int keys) {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            TestShop.with(
                    Databases.POSTGRESQL,
                    pool -> {
                        pool.setTransactionIsolation(isolation);
                        pool.setMaximumPoolSize(THREADS + 2);
                    },
                    runner -> runner.withBean(Payments.class)
                            .withPropertyValues("resilience.idempotency.default.lease=30ms"),
                    shop -> {
                        Payments payments = shop.beans().getBean(Payments.class);
                        List<Future<?>> all = new ArrayList<>();
                        for (int i = 0; i < keys; i++) {
                            int number = i;
                            all.add(threads.submit(() -> assertRunsOnce(payments, "key " + number, number % 40)));
                        }
                        for (Future<?> one : all) {
                            one.get(5, TimeUnit.MINUTES);
                        }

                        shop.assertEffects(keys);
                        OutcomeCounters<IdempotencyOutcome> counted =
                                shop.idempotency().calls();
                        assertThat(counted.get(IdempotencyOutcome.EXECUTED)).isEqualTo(keys);
                        assertThat(counted.get(IdempotencyOutcome.REPLAYED)).isEqualTo(keys);
                        assertThat(counted.get(IdempotencyOutcome.STORE_FAILURE))
                                .isZero();
                    });
        } finally {
            threads.shutdownNow();
        }
    }

    private static void assertRunsOnce(Payments payments, String key, int millis) {
        String first = payments.pay(key, millis);
        while (true) {
            try {
                assertThat(payments.pay(key, millis)).isEqualTo(first);
                return;
            } catch (IdempotencyInProgressException renewing) {
                // a renewal that was under way has kept the result from being stored at once
            }
        }
    }

    /** What the application does. */
    static class Payments {

        private final AtomicInteger number = new AtomicInteger();
        private final JdbcTemplate jdbc;

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(key = "#key")
        public String pay(String key, int millis) {
            String payment = "payment " + number.incrementAndGet();
            jdbc.queryForList("SELECT pg_sleep(?)", millis / 1_000.0);
            jdbc.update("INSERT INTO effects (name) VALUES (?)", payment);
            return payment;
        }
    }
}
