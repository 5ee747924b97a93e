package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupWarnings;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/** Who makes the table, and what is said where nobody did. */
@ParameterizedClass
@EnumSource(names = {"H2", "POSTGRESQL"})
class SchemaTests {

    private static final String KEY = "resilience.idempotency-store.jdbc.";

    private final Databases database;
    private final HikariDataSource another;
    private final JdbcTemplate outside;

    SchemaTests(Databases database) {
        this.database = database;
        this.another = database.pool();
        this.outside = new JdbcTemplate(another);
    }

    @BeforeEach
    void clear() {
        outside.execute("DROP SCHEMA IF EXISTS billing CASCADE");
        outside.execute("CREATE SCHEMA billing");
        outside.execute("DROP TABLE IF EXISTS " + JdbcIdempotencyStore.DEFAULT_TABLE);
    }

    @AfterEach
    void close() {
        another.close();
    }

    private void start(String table, String initialize, Consumer<AssertableApplicationContext> then) {
        try (HikariDataSource pool = database.pool()) {
            TestShop.runner(pool)
                    .withBean(Orders.class)
                    .withPropertyValues(KEY + "table-name=" + table, KEY + "initialize-schema=" + initialize)
                    .run(then::accept);
        }
    }

    private void assertWorks(String table, String initialize) {
        start(table, initialize, context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Orders.class).place("k")).isEqualTo("placed k");
            assertThat(outside.queryForObject("SELECT count(*) FROM " + table, Integer.class))
                    .isEqualTo(1);
            assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
        });
    }

    private ResilienceConfigurationException failure(String table, String initialize) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        start(
                table,
                initialize,
                context -> failure.set(NestedExceptionUtils.getMostSpecificCause(
                        Objects.requireNonNull(context.getStartupFailure()))));
        assertThat(failure.get()).isInstanceOf(ResilienceConfigurationException.class);
        return (ResilienceConfigurationException) failure.get();
    }

    @ParameterizedTest
    @ValueSource(strings = {JdbcIdempotencyStore.DEFAULT_TABLE, "billing.idempotency", "Billing.Idempotency_2"})
    void aMissingTableIsNamedAndWhatIsToBeRunMakesIt(String table) {
        ResilienceConfigurationException failure = failure(table, "never");
        assertThat(failure).hasMessageContaining("'" + table + "'").hasMessageContaining("missing");
        assertThat(failure.action()).contains("initialize-schema: always");

        String[] statements = failure.action().split("run:\n\n", 2)[1].split(";");
        assertThat(statements).hasSize(2);
        for (String statement : statements) {
            outside.execute(statement);
        }

        assertWorks(table, "never");
    }

    @ParameterizedTest
    @ValueSource(strings = {JdbcIdempotencyStore.DEFAULT_TABLE, "billing.idempotency"})
    void always(String table) {
        assertWorks(table, "always");
        outside.update("DELETE FROM " + table);
        assertWorks(table, "always");
    }

    @Test
    void inADatabaseThatIsEmbedded() {
        if (database == Databases.H2) {
            assertWorks(JdbcIdempotencyStore.DEFAULT_TABLE, "embedded");
        } else {
            assertThat(failure(JdbcIdempotencyStore.DEFAULT_TABLE, "embedded")).hasMessageContaining("missing");
        }
    }

    @Test
    void noIndexHasAColumnThatARenewalOrAResultChanges() {
        assertWorks(JdbcIdempotencyStore.DEFAULT_TABLE, "always");

        List<String> columns = outside.execute((ConnectionCallback<List<String>>) connection -> {
            String table = JdbcIdempotencyStore.DEFAULT_TABLE;
            DatabaseMetaData about = connection.getMetaData();
            String asKept = about.storesUpperCaseIdentifiers() ? table.toUpperCase(Locale.ROOT) : table;
            List<String> found = new ArrayList<>();
            try (ResultSet index = about.getIndexInfo(null, null, asKept, false, false)) {
                while (index.next()) {
                    found.add(index.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
                }
            }
            return found;
        });

        assertThat(columns).containsExactlyInAnyOrder("id", "cleanup_after");
    }

    @Test
    void aTableOfOtherColumnsIsNotTaken() {
        outside.execute("CREATE TABLE billing.idempotency (id VARCHAR(10))");

        assertThat(failure("billing.idempotency", "always")).hasMessageContaining("not as it should be");
    }

    /** What the application does. */
    static class Orders {

        @Idempotent(key = "#key")
        public String place(String key) {
            return "placed " + key;
        }
    }
}
