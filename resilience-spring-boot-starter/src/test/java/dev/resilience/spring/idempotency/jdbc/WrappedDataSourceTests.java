package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.spring.ResilienceConfigurationException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.IsolationLevelDataSourceAdapter;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The store commits no transaction of a caller's, however the data source is wrapped. */
class WrappedDataSourceTests {

    private static final Map<String, UnaryOperator<DataSource>> WRAPPERS = Map.of(
            "aware", TransactionAwareDataSourceProxy::new,
            "delegating", DelegatingDataSource::new,
            "lazy", LazyConnectionDataSourceProxy::new,
            "isolated",
                    real -> {
                        IsolationLevelDataSourceAdapter adapter = new IsolationLevelDataSourceAdapter();
                        adapter.setTargetDataSource(real);
                        return adapter;
                    },
            "proxied", WrappedDataSourceTests::proxied);

    /** Which wrappers, innermost first. */
    private static final List<String> NESTINGS = List.of(
            "",
            "aware",
            "delegating",
            "lazy",
            "isolated",
            "aware delegating",
            "delegating aware",
            "lazy aware",
            "aware lazy",
            "aware isolated",
            "aware proxied",
            "delegating aware delegating",
            "aware delegating proxied lazy",
            "aware aware delegating");

    private static final ThreadLocal<String> TENANT = ThreadLocal.withInitial(() -> "one");

    private static AbstractRoutingDataSource routing(DataSource one, DataSource two) {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return TENANT.get();
            }
        };
        routing.setTargetDataSources(Map.of("one", one, "two", two));
        routing.afterPropertiesSet();
        return routing;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "delegating", "lazy aware", "proxied"})
    void oneThatChoosesItsDatabaseByTheThreadIsRefusedAtStartupWithTheCure(String nesting) {
        try (HikariDataSource one = Databases.H2.pool();
                HikariDataSource two = Databases.POSTGRESQL.pool()) {
            TestShop.runner(wrapped(routing(one, two), nesting))
                    .withBean(TransactionalTests.Orders.class)
                    .withPropertyValues("resilience.retry.polling.max-attempts=2")
                    .run(context -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .hasMessageContaining("AbstractRoutingDataSource")
                            .isInstanceOfSatisfying(
                                    ResilienceConfigurationException.class,
                                    refused -> assertThat(refused.action())
                                            .contains("new JdbcIdempotencyStore(sharedDataSource)")));
        }
    }

    @Test
    void oneThatAllTenantsShareKeepsTheirRecords() {
        try (HikariDataSource one = Databases.H2.pool();
                HikariDataSource two = Databases.POSTGRESQL.pool()) {
            new JdbcTemplate(one).execute("DROP TABLE IF EXISTS " + JdbcIdempotencyStore.DEFAULT_TABLE);
            for (DataSource tenant : List.of(one, two)) {
                new JdbcTemplate(tenant).execute("DROP TABLE IF EXISTS effects");
                new JdbcTemplate(tenant).execute("CREATE TABLE effects (name VARCHAR(100) PRIMARY KEY)");
            }
            TestShop.runner(routing(one, two))
                    .withBean(TransactionalTests.Orders.class)
                    .withPropertyValues("resilience.retry.polling.max-attempts=2")
                    .withBean(
                            JdbcIdempotencyStore.class,
                            () -> new JdbcIdempotencyStore(one, JdbcIdempotencyStore.DEFAULT_TABLE, true))
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        TransactionalTests.Orders orders = context.getBean(TransactionalTests.Orders.class);
                        TENANT.set("two");
                        assertThat(orders.place("k")).isEqualTo("order 1");
                        TENANT.set("one");
                        assertThat(orders.place("k")).isEqualTo("order 1");
                    });
            assertThat(new JdbcTemplate(two).queryForList("SELECT name FROM effects", String.class))
                    .containsExactly("order 1");
        } finally {
            TENANT.remove();
        }
    }

    /**
     * Each with each database, and with a transaction manager that knows the outermost or the pool: without {@code -Plong},
     * one on the one database and the other on the other.
     */
    static Stream<Arguments> nestings() {
        List<Databases> databases = List.copyOf(Databases.atHand());
        return NESTINGS.stream()
                .flatMap(nesting -> databases.stream()
                        .flatMap(database -> Stream.of(true, false)
                                .filter(outermost -> ServerDatabases.IS_LONG
                                        || outermost
                                                == ((databases.indexOf(database) + NESTINGS.indexOf(nesting)) % 2 == 0))
                                .map(outermost -> Arguments.of(database, nesting, outermost))));
    }

    private static DataSource wrapped(DataSource pool, String nesting) {
        DataSource wrapped = pool;
        for (String wrapper : nesting.isEmpty() ? new String[0] : nesting.split(" ")) {
            wrapped = WRAPPERS.get(wrapper).apply(wrapped);
        }
        return wrapped;
    }

    /** As observers of data sources make it: a proxy of the interface, which can be unwrapped. */
    private static DataSource proxied(DataSource target) {
        return (DataSource) Proxy.newProxyInstance(
                WrappedDataSourceTests.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("equals")) {
                        return proxy == arguments[0];
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("nestings")
    void aRollbackOfTheCallersUndoesAllThatItDid(Databases database, String nesting, boolean ofOutermost) {
        try (HikariDataSource pool = database.pool()) {
            JdbcTemplate outside = emptyTables(pool);
            DataSource outermost = wrapped(pool, nesting);
            TestShop.runner(outermost)
                    .withBean(
                            DataSourceTransactionManager.class,
                            () -> new DataSourceTransactionManager(ofOutermost ? outermost : pool))
                    .withBean(Orders.class)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        Orders orders = context.getBean(Orders.class);
                        JdbcTemplate inside = new JdbcTemplate(ofOutermost ? outermost : pool);
                        new TransactionTemplate(context.getBean(DataSourceTransactionManager.class))
                                .executeWithoutResult(status -> {
                                    inside.update("INSERT INTO effects (name) VALUES ('before')");
                                    orders.place("k");
                                    status.setRollbackOnly();
                                });

                        assertThat(outside.queryForList("SELECT name FROM effects", String.class))
                                .isEmpty();
                        assertThat(orders.place("other")).isEqualTo("order other");
                        assertThat(orders.place("other")).isEqualTo("order other");
                    });
        }
    }

    @Test
    void aDataSourceThatHidesTransactionsOfTheThreadIsRefusedAtTheFirstCallWithinOne() {
        try (HikariDataSource pool = Databases.H2.pool()) {
            emptyTables(pool);
            TestShop.runner(new Opaque(new TransactionAwareDataSourceProxy(pool)))
                    .withBean(DataSourceTransactionManager.class, () -> new DataSourceTransactionManager(pool))
                    .withBean(Orders.class)
                    .run(context -> {
                        Orders orders = context.getBean(Orders.class);
                        new TransactionTemplate(context.getBean(DataSourceTransactionManager.class))
                                .executeWithoutResult(status -> assertThatThrownBy(() -> orders.place("k"))
                                        .isInstanceOf(IdempotencyStoreException.class)
                                        .hasStackTraceContaining(
                                                "hands out the connection of the thread's transaction"));
                    });
        }
    }

    /** As those of JTA do, which Spring knows nothing of. */
    @Test
    void aConnectionOfTheThreadsTransactionIsNotCommittedWhoeverHandsItOut() {
        try (HikariDataSource pool = Databases.H2.pool();
                HikariDataSource another = Databases.H2.pool()) {
            JdbcTemplate outside = emptyTables(pool);
            TestShop.runner(new Enlisting(pool))
                    .withBean(DataSourceTransactionManager.class, () -> new DataSourceTransactionManager(another))
                    .withBean(Orders.class)
                    .run(context -> {
                        Orders orders = context.getBean(Orders.class);
                        new TransactionTemplate(context.getBean(DataSourceTransactionManager.class))
                                .executeWithoutResult(status -> assertThatThrownBy(() -> orders.place("k"))
                                        .isInstanceOf(IdempotencyStoreException.class)
                                        .hasStackTraceContaining(
                                                "hands out the connection of the thread's transaction"));

                        assertThat(outside.queryForList("SELECT id FROM " + JdbcIdempotencyStore.DEFAULT_TABLE))
                                .isEmpty();
                        assertThat(orders.place("k")).isEqualTo("order k");
                    });
        }
    }

    private static JdbcTemplate emptyTables(DataSource pool) {
        JdbcTemplate outside = new JdbcTemplate(pool);
        outside.execute("DROP TABLE IF EXISTS effects");
        outside.execute("DROP TABLE IF EXISTS " + JdbcIdempotencyStore.DEFAULT_TABLE);
        outside.execute("CREATE TABLE effects (name VARCHAR(100) PRIMARY KEY)");
        return outside;
    }

    /** Hands out connections that do not commit by themselves while the thread has a transaction. */
    private static final class Enlisting extends Opaque {

        Enlisting(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            connection.setAutoCommit(!TransactionSynchronizationManager.isActualTransactionActive());
            return connection;
        }
    }

    /** Wraps without saying what. */
    private static class Opaque extends AbstractDataSource {

        private final DataSource target;

        Opaque(DataSource target) {
            this.target = target;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return target.getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return target.getConnection(user, password);
        }
    }

    /** What the application does. */
    static class Orders {

        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(key = "#key")
        public String place(String key) {
            jdbc.queryForList("SELECT name FROM effects");
            return "order " + key;
        }
    }
}
