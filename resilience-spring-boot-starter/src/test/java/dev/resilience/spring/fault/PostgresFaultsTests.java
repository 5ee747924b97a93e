package dev.resilience.spring.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static dev.resilience.fault.Fault.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/**
 * What PostgreSQL really throws, and what kind of fault that is. Its driver throws the same class whatever happened, so
 * the SQLSTATE tells; Spring's translation on top must tell the same.
 */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(120)
class PostgresFaultsTests {

    private static EmbeddedPostgres postgres;

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    @BeforeAll
    static void start() throws IOException, SQLException {
        postgres = EmbeddedPostgres.builder()
                .setServerConfig("deadlock_timeout", "50ms")
                .start();
        run("create table account (id int primary key, balance int check (balance >= 0))");
        run("create role crowded login connection limit 0");
        run("create role stranger login");
    }

    @BeforeEach
    void fill() throws SQLException {
        run("truncate account");
        run("insert into account values (1, 10), (2, 20)");
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
    }

    static Stream<Arguments> statements() {
        return Stream.of(
                row("statement timeout", "57014", TRANSIENT, "set statement_timeout = 50; select pg_sleep(30)"),
                row("deadlock", "40P01", TRANSIENT, PostgresFaultsTests::deadlock),
                row("serialization failure", "40001", TRANSIENT, PostgresFaultsTests::serializationFailure),
                row("lock timeout", "55P03", TRANSIENT, whileLocked("set lock_timeout = 50; delete from account")),
                row("no wait for a lock", "55P03", TRANSIENT, whileLocked("select * from account for update nowait")),
                row(
                        "connection ended by the administrator",
                        "57P01",
                        TRANSIENT,
                        "select pg_terminate_backend(pg_backend_pid())"),
                row("too many connections", "53300", TRANSIENT, as("crowded")),
                row("unique violation", "23505", PERMANENT, "insert into account values (1, 10)"),
                row("check violation", "23514", PERMANENT, "update account set balance = -1"),
                row("not null violation", "23502", PERMANENT, "insert into account values (null, 1)"),
                row("division by zero", "22012", PERMANENT, "select 1 / 0"),
                row("not a number", "22P02", PERMANENT, "select 'x'::int"),
                row("syntax", "42601", UNKNOWN, "selct 1"),
                row("no such table", "42P01", UNKNOWN, "select * from nowhere"),
                row("no right of access", "42501", PERMANENT, "set role stranger; select * from account"),
                row("no such user", "28000", PERMANENT, as("nobody")),
                row("in a failed transaction", "25P02", UNKNOWN, PostgresFaultsTests::afterAnError),
                row("an error of the application's own", "P0001", UNKNOWN, "do $$ begin raise 'no'; end $$"));
    }

    @ParameterizedTest(name = "{0}: {2}")
    @MethodSource("statements")
    void areClassifiedByTheirSqlState(String what, String state, Fault fault, OnConnection action) throws SQLException {
        try (Connection connection = connect()) {
            Throwable failure = catchThrowable(() -> action.on(connection));

            assertThat(failure)
                    .as("%s", failure)
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
            assertThat(classify(failure)).isEqualTo(fault);
        }
    }

    /** The same through Spring, whose exceptions are known by their classes and causes. */
    @ParameterizedTest(name = "{0}: {2}")
    @MethodSource("statements")
    void areClassifiedAlikeThroughSpring(String what, String state, Fault fault, OnConnection action)
            throws SQLException {
        try (Connection connection = connect()) {
            JdbcTemplate template = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
            Throwable failure = catchThrowable(() -> template.execute((ConnectionCallback<@Nullable Object>) same -> {
                action.on(connection);
                return null;
            }));

            assertThat(failure).isInstanceOf(DataAccessException.class);
            assertThat(classify(failure)).as("%s", failure).isEqualTo(fault);
        }
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void aServerThatIsShutDownIsTransientForOldConnectionsAndNew() throws SQLException, IOException {
        try (Connection connection = connect()) {
            postgres.close();

            assertThat(classify(catchThrowable(() -> run(connection, "select 1"))))
                    .isEqualTo(TRANSIENT);
            assertThat(classify(catchThrowable(PostgresFaultsTests::connect))).isEqualTo(TRANSIENT);
        }
    }

    private Fault classify(Throwable failure) {
        assertThat(failure).isNotNull();
        return faults.classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }

    private static void deadlock(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Connection other = connect()) {
            other.setAutoCommit(false);
            run(other, "set deadlock_timeout = '1min'"); // so that the first connection is the victim
            run(connection, "update account set balance = 0 where id = 1");
            run(other, "update account set balance = 0 where id = 2");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(
                    () -> assertThat(catchThrowable(() -> run(other, "update account set balance = 0 where id = 1")))
                            .isNull());
            await().until(PostgresFaultsTests::somebodyWaitsForALock);
            try {
                run(connection, "update account set balance = 0 where id = 2");
            } finally {
                connection.rollback();
                waiting.join();
            }
        }
    }

    private static boolean somebodyWaitsForALock() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet waits = statement.executeQuery("select 1 from pg_locks where not granted")) {
            return waits.next();
        }
    }

    private static void serializationFailure(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        run(connection, "select * from account");
        run("update account set balance = 0");
        run(connection, "update account set balance = 1");
    }

    private static void afterAnError(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        assertThat(catchThrowable(() -> run(connection, "do $$ begin raise 'no'; end $$")))
                .isNotNull();
        run(connection, "select 1");
    }

    private static OnConnection whileLocked(String sql) {
        return connection -> {
            try (Connection other = connect()) {
                other.setAutoCommit(false);
                run(other, "update account set balance = 0");
                run(connection, sql);
            }
        };
    }

    private static OnConnection as(String user) {
        return connection -> DriverManager.getConnection(postgres.getJdbcUrl(user, "postgres"))
                .close();
    }

    private static Arguments row(String what, String state, Fault fault, String sql) {
        return row(what, state, fault, connection -> run(connection, sql));
    }

    private static Arguments row(String what, String state, Fault fault, OnConnection action) {
        return arguments(what, state, fault, action);
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(postgres.getJdbcUrl("postgres", "postgres"));
    }

    private static void run(String sql) throws SQLException {
        try (Connection connection = connect()) {
            run(connection, sql);
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @FunctionalInterface
    interface OnConnection {

        void on(Connection connection) throws SQLException;
    }
}
