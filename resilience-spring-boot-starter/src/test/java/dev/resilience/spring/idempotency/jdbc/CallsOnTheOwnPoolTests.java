package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import com.zaxxer.hikari.util.Credentials;
import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Leases are renewed though calls have all connections of the pool. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
@Timeout(120)
class CallsOnTheOwnPoolTests {

    private static final Duration LEASE = Duration.ofMillis(300);
    private static final String VALID_UNTIL =
            "SELECT valid_until FROM " + JdbcIdempotencyStore.DEFAULT_TABLE + " WHERE state = 'R'";

    private final Databases database;

    CallsOnTheOwnPoolTests(Databases database) {
        this.database = database;
    }

    private static LeaseToken claimed(JdbcIdempotencyStore store, String key) {
        Duration hour = Duration.ofHours(1);
        ClaimRequest request = new ClaimRequest(RecordKey.of("pay", "", key), "me", "", hour, hour, true);
        return ((Claim.Acquired) store.claim(request)).token();
    }

    @Test
    void aLeaseIsRenewedWhileAPoolOfOneHasNone() {
        TestShop.with(
                database,
                TestShop.pool(1, Duration.ofSeconds(5)),
                runner -> runner.withPropertyValues("resilience.idempotency.default.lease=" + LEASE),
                shop -> {
                    shop.orders().beforeReturning(() -> {
                        Long first = shop.outside().queryForObject(VALID_UNTIL, Long.class);
                        Awaitility.await()
                                .until(
                                        () -> shop.outside().queryForObject(VALID_UNTIL, Long.class),
                                        now -> now > first + Dialect.micros(LEASE));
                    });

                    assertThat(shop.orders().place("k")).isEqualTo("order 1");

                    shop.assertEffects(1);
                    shop.assertCounted(IdempotencyOutcome.EXECUTED);
                });
    }

    @Test
    void aSerializableMethodMayTakeLongerThanItsLeaseInAPoolOfOne() {
        String age = "SELECT " + database.now() + " - fence FROM " + JdbcIdempotencyStore.DEFAULT_TABLE;
        TestShop.with(
                database,
                TestShop.pool(1, Duration.ofSeconds(5))
                        .andThen(pool -> pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE")),
                runner -> runner.withPropertyValues("resilience.idempotency.default.lease=" + LEASE),
                shop -> {
                    shop.orders()
                            .beforeReturning(() -> Awaitility.await()
                                    .until(
                                            () -> shop.outside().queryForObject(age, Long.class),
                                            micros -> micros > 2 * Dialect.micros(LEASE)));

                    assertThat(shop.orders().place("k")).isEqualTo("order 1");

                    shop.assertEffects(1);
                    shop.assertCounted(IdempotencyOutcome.EXECUTED);
                });
    }

    @Test
    void aCallWithinATransactionNeedsNoSecondConnectionOfThePool() {
        TestShop.with(database, TestShop.pool(1, Duration.ofMillis(250)), runner -> runner, shop -> {
            shop.transaction().executeWithoutResult(status -> {
                shop.jdbc().update("INSERT INTO effects (name) VALUES ('before')");
                assertThat(shop.orders().place("k")).isEqualTo("order 1");
            });

            shop.assertEffects(2);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
        });
    }

    @Test
    void theKeyIsFreedThoughTheTransactionStillHasThePoolsOnlyConnection() {
        TestShop.with(database, TestShop.pool(1, Duration.ofMillis(250)), runner -> runner, shop -> {
            shop.transaction().executeWithoutResult(status -> {
                shop.orders().place("k");
                status.setRollbackOnly();
            });

            shop.assertEffects(0);
            shop.assertCounted(IdempotencyOutcome.RELEASED);
            assertThat(shop.stateOutside()).isNull();
        });
    }

    /** Fifty threads on two connections, each call within a transaction that begins at the method. */
    @Test
    void noHealthyCallLosesItsKeyWhereThePoolIsMuchTooSmall() throws Exception {
        int calls = 200;
        ExecutorService threads = Executors.newFixedThreadPool(50);
        try {
            TestShop.with(
                    database,
                    TestShop.pool(2, Duration.ofSeconds(60)),
                    runner -> runner.withBean(Slow.class)
                            .withPropertyValues("resilience.idempotency.default.lease=" + LEASE),
                    shop -> {
                        Slow slow = shop.beans().getBean(Slow.class);
                        List<Future<String>> all = new ArrayList<>();
                        for (int i = 0; i < calls; i++) {
                            String key = "key " + i;
                            all.add(threads.submit(() -> slow.pay(key, database)));
                        }
                        for (int i = 0; i < calls; i++) {
                            assertThat(all.get(i).get(100, TimeUnit.SECONDS)).isEqualTo("paid key " + i);
                        }

                        shop.assertEffects(calls);
                        shop.assertCounted(Collections.nCopies(calls, IdempotencyOutcome.EXECUTED)
                                .toArray(IdempotencyOutcome[]::new));
                    });
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void itIsOpenedWhenItIsNeededAndClosedWithTheStore() throws SQLException {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (HikariDataSource pool = database.pool()) {
            pool.setPoolName("shop");
            pool.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(meters));
            pool.setMaximumPoolSize(1);
            JdbcIdempotencyStore store = new JdbcIdempotencyStore(pool, JdbcIdempotencyStore.DEFAULT_TABLE, true);
            store.prepare();
            new JdbcTemplate(pool).update("DELETE FROM " + JdbcIdempotencyStore.DEFAULT_TABLE);
            LeaseToken mine = claimed(store, "k");
            assertThat(threadsOf("shop-idempotency")).isZero();

            try (Connection taken = pool.getConnection()) {
                assertThat(taken.isClosed()).isFalse();
                assertThat(store.renew(mine, Duration.ofHours(2))).isTrue();
                assertThat(store.statusOf(mine)).isEqualTo(ClaimStatus.IN_PROGRESS);
                assertThat(store.release(mine)).isTrue();
            }
            assertThat(meters.getMeters())
                    .isNotEmpty()
                    .allMatch(meter -> "shop".equals(meter.getId().getTag("pool")));
            assertThat(threadsOf("shop-idempotency")).isPositive();

            store.close();
            Awaitility.await().until(() -> threadsOf("shop-idempotency") == 0);
            LeaseToken next = claimed(store, "k");
            assertThat(store.renew(next, Duration.ofHours(2)))
                    .as("on the pool's")
                    .isTrue();
        }
    }

    @Test
    @Tag("long")
    void thePoolsConnectionsAreUsedWhereItCannotBeOpened() {
        try (HikariDataSource pool = database.pool()) {
            pool.setConnectionTimeout(300);
            JdbcIdempotencyStore store = new JdbcIdempotencyStore(pool, JdbcIdempotencyStore.DEFAULT_TABLE, true);
            store.prepare();
            new JdbcTemplate(pool).update("DELETE FROM " + JdbcIdempotencyStore.DEFAULT_TABLE);
            LeaseToken mine = claimed(store, "k");
            pool.setCredentials(Credentials.of("nobody", "wrong")); // for connections that are opened from now on

            assertThat(store.renew(mine, Duration.ofHours(2))).isTrue();
            store.close();
        }
    }

    @Test
    void thereIsNoneBesideADatabaseThatAConnectionHasForItself() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl("jdbc:h2:mem:");
            assertThat(OwnPool.beside(pool)).isNull();
            pool.setJdbcUrl("jdbc:h2:mem:named");
            assertThat(OwnPool.beside(pool)).isNotNull();
        }
    }

    private static long threadsOf(String pool) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(pool))
                .count();
    }

    /** What the application does. */
    static class Slow {

        private final JdbcTemplate jdbc;

        Slow(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(key = "#key")
        @Transactional
        public String pay(String key, Databases database) {
            jdbc.update("INSERT INTO effects (name) VALUES (?)", key);
            if (database == Databases.POSTGRESQL) {
                jdbc.queryForList("SELECT pg_sleep(0.03)");
            }
            return "paid " + key;
        }
    }
}
