package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.spring.idempotency.jdbc.TransactionalTests.Orders;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What a call costs, as the driver sees it. */
@ParameterizedClass
@EnumSource(names = {"H2", "POSTGRESQL"})
class StatementsTests {

    private final Databases database;
    private final List<String> executed = new CopyOnWriteArrayList<>();

    StatementsTests(Databases database) {
        this.database = database;
    }

    private void with(Consumer<Orders> use) {
        try (HikariDataSource pool = database.pool()) {
            JdbcTemplate outside = new JdbcTemplate(pool);
            outside.execute("DROP TABLE IF EXISTS effects");
            outside.execute("DROP TABLE IF EXISTS " + JdbcIdempotencyStore.DEFAULT_TABLE);
            outside.execute("CREATE TABLE effects (name VARCHAR(100) PRIMARY KEY)");
            TestShop.runner(new Watched(pool))
                    .withBean(Orders.class)
                    .withPropertyValues("resilience.retry.polling.max-attempts=2")
                    .run(context -> {
                        Orders orders = context.getBean(Orders.class);
                        executed.clear();
                        use.accept(orders);
                    });
        }
    }

    @Test
    void twoForAFirstExecutionAndOneForAReplay() {
        with(orders -> {
            orders.placeWithoutTransaction("k");
            assertThat(executed)
                    .hasSize(3)
                    .filteredOn(sql -> sql.contains("INTO effects"))
                    .hasSize(1);

            orders.placeWithoutTransaction("k");
            assertThat(executed).hasSize(4);
        });
    }

    @Test
    void inATransactionAsWell() {
        with(orders -> {
            orders.place("k");
            assertThat(executed)
                    .hasSize(3)
                    .filteredOn(sql -> sql.contains("INTO effects"))
                    .hasSize(1);

            orders.place("k");
            assertThat(executed).hasSize(4);
        });
    }

    /** Writes down what is executed. */
    private final class Watched extends DelegatingDataSource {

        Watched(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            return watched(Connection.class, super.getConnection(), "");
        }

        private <T> T watched(Class<T> type, T target, String prepared) {
            Object proxy = Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                        String sql = arguments != null && arguments.length > 0 && arguments[0] instanceof String text
                                ? text
                                : prepared;
                        if (method.getName().startsWith("execute")) {
                            executed.add(sql);
                        }
                        Object result;
                        try {
                            result = method.invoke(target, arguments);
                        } catch (InvocationTargetException failure) {
                            throw failure.getCause();
                        }
                        if (result instanceof PreparedStatement statement) {
                            return watched(PreparedStatement.class, statement, sql);
                        }
                        return result instanceof Statement statement
                                ? watched(Statement.class, statement, sql)
                                : result;
                    });
            return type.cast(proxy);
        }
    }
}
