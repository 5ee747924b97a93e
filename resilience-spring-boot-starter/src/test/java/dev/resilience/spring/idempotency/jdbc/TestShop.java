package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceJdbcAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceTransactionAutoConfiguration;
import dev.resilience.spring.idempotency.CountedOutcomes;
import dev.resilience.spring.idempotency.jdbc.TransactionalTests.Orders;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with transactions and idempotent methods on a real database, and short words for what to look at. */
record TestShop(
        Orders orders,
        JdbcTemplate jdbc,
        JdbcTemplate outside,
        TransactionTemplate transaction,
        Idempotency idempotency,
        PlatformTransactionManager transactions,
        BeanFactory beans) {

    private static final String TABLE = JdbcIdempotencyStore.DEFAULT_TABLE;
    private static final String[] PROPERTIES_OF_ORDERS = {
        "resilience.retry.default.backoff.base-delay=0", "resilience.retry.polling.retry-on-result=#result != 'order 3'"
    };

    /** What a test does with it. */
    interface Use {

        void with(TestShop shop) throws Exception;
    }

    /** A pool of so many connections, and how long one is waited for. */
    static Consumer<HikariDataSource> pool(int size, Duration patience) {
        return pool -> {
            pool.setMaximumPoolSize(size);
            pool.setConnectionTimeout(patience.toMillis());
        };
    }

    static void with(Databases database, Use use, String... properties) {
        with(database, pool -> {}, runner -> runner.withPropertyValues(properties), use);
    }

    static void with(
            Databases database,
            Consumer<HikariDataSource> settings,
            UnaryOperator<ApplicationContextRunner> configuration,
            Use use) {
        try (HikariDataSource pool = database.pool();
                HikariDataSource other = database.pool()) {
            settings.accept(pool);
            JdbcTemplate outside = new JdbcTemplate(other);
            outside.execute("DROP TABLE IF EXISTS effects");
            outside.execute("DROP TABLE IF EXISTS " + TABLE);
            outside.execute("CREATE TABLE effects (name VARCHAR(100) PRIMARY KEY)");
            ApplicationContextRunner runner =
                    runner(pool).withBean(Orders.class).withPropertyValues(PROPERTIES_OF_ORDERS);
            configuration.apply(runner).run(context -> {
                assertThat(context).hasNotFailed();
                use.with(new TestShop(
                        context.getBean(Orders.class),
                        context.getBean(JdbcTemplate.class),
                        outside,
                        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)),
                        Objects.requireNonNull(context.getBean(ResilienceRegistry.class)
                                .idempotencies()
                                .get("default")),
                        context.getBean(PlatformTransactionManager.class),
                        context));
            });
        }
    }

    static ApplicationContextRunner runner(DataSource dataSource) {
        return new ApplicationContextRunner()
                .withBean(DataSource.class, () -> dataSource)
                .withPropertyValues("resilience.idempotency-store.jdbc.initialize-schema=always")
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        ResilienceJdbcAutoConfiguration.class,
                        ResilienceTransactionAutoConfiguration.class,
                        ResilienceAutoConfiguration.class));
    }

    /** Done in every transaction before it is committed. */
    void beforeCommit(Runnable action) {
        ((AbstractPlatformTransactionManager) transactions)
                .setTransactionExecutionListeners(List.of(new TransactionExecutionListener() {
                    @Override
                    public void beforeCommit(TransactionExecution execution) {
                        action.run();
                    }
                }));
    }

    /** The state of the one record, as others see it; {@code null} if there is none. */
    @Nullable
    String stateOutside() {
        return state(outside);
    }

    /** The state of the one record, as the thread's transaction sees it. */
    @Nullable
    String stateInside() {
        return state(jdbc);
    }

    private static @Nullable String state(JdbcTemplate where) {
        List<String> states = where.queryForList("SELECT state FROM " + TABLE, String.class);
        assertThat(states).hasSizeLessThan(2);
        return states.isEmpty() ? null : states.get(0);
    }

    /** As another process would after the lease has run out. */
    void takeOver() {
        assertThat(outside.update("UPDATE " + TABLE + " SET owner = 'another', fence = fence + 1"))
                .isEqualTo(1);
    }

    /** As time does. */
    void endLease() {
        assertThat(outside.update("UPDATE " + TABLE + " SET valid_until = 0")).isEqualTo(1);
    }

    void assertEffects(int expected) {
        assertThat(outside.queryForObject("SELECT count(*) FROM effects", Integer.class))
                .as("effects")
                .isEqualTo(expected);
    }

    /** A call and its repetition: the effect and the record are committed, once. */
    void assertCommitsBoth() {
        assertThat(orders.place("k")).isEqualTo("order 1");
        assertThat(orders.place("k")).isEqualTo("order 1");

        assertEffects(1);
        assertCounted(IdempotencyOutcome.EXECUTED, IdempotencyOutcome.REPLAYED);
    }

    /** A failure right before the commit: neither is committed, and the key is free at once. */
    void assertCommitsNeither() {
        beforeCommit(() -> {
            throw new IllegalStateException("of the commit");
        });

        assertThatThrownBy(() -> orders.place("k")).hasMessage("of the commit");

        assertEffects(0);
        assertThat(stateOutside()).isNull();
        assertCounted(IdempotencyOutcome.RELEASED);
    }

    /** An owner that was away for too long: its effect is not committed, and the record stays its successor's. */
    void assertRollsBackAReplacedOwner() {
        orders.beforeReturning(this::takeOver);

        assertThatThrownBy(() -> orders.place("k")).isInstanceOf(IdempotencyLeaseLostException.class);

        assertEffects(0);
        assertCounted(IdempotencyOutcome.LEASE_LOST);
        assertThat(stateOutside()).isEqualTo("R");
    }

    /** As {@link #assertCounted}, of a call of which the end is found out on another thread. */
    void awaitCounted(IdempotencyOutcome... expected) {
        Awaitility.await().untilAsserted(() -> assertCounted(expected));
    }

    /** Asserts the outcomes counted, all of them. */
    void assertCounted(IdempotencyOutcome... expected) {
        CountedOutcomes.assertCounted(idempotency, expected);
    }
}
