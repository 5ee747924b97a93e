package dev.resilience.spring.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static dev.resilience.fault.Fault.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** What H2 really throws, and what kind of fault that is: subclasses that tell, and SQLSTATEs of the standard. */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
@Timeout(120)
class H2FaultsTests {

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    private Connection keepsTheDatabase;

    @BeforeEach
    void fill() throws SQLException {
        keepsTheDatabase = h2();
        run(keepsTheDatabase, "create table account (id int primary key, balance int)");
        run(keepsTheDatabase, "insert into account values (1, 10), (2, 20)");
    }

    @AfterEach
    void drop() throws SQLException {
        keepsTheDatabase.close();
    }

    @Test
    void tellsALockTimeoutAsTransient() throws SQLException {
        try (Connection holder = h2();
                Connection other = h2()) {
            holder.setAutoCommit(false);
            run(holder, "update account set balance = 0 where id = 1");
            run(other, "set lock_timeout 50");

            assertThat(faultOf(() -> run(other, "update account set balance = 1 where id = 1")))
                    .isEqualTo(TRANSIENT);
        }
    }

    /** H2 looks for a deadlock when a wait begins and may miss one; then the first lock timeout ends it. */
    @Test
    void tellsADeadlockAsTransient() throws SQLException {
        try (Connection impatient = h2();
                Connection patient = h2()) {
            impatient.setAutoCommit(false);
            patient.setAutoCommit(false);
            run(impatient, "set lock_timeout 500");
            run(patient, "set lock_timeout 5000");
            run(impatient, "update account set balance = 1 where id = 1");
            run(patient, "update account set balance = 2 where id = 2");
            CompletableFuture<Throwable> one = endOf(patient, "update account set balance = 2 where id = 1");
            CompletableFuture<Throwable> other = endOf(impatient, "update account set balance = 1 where id = 2");

            assertThat(Stream.of(one, other).map(CompletableFuture::join).filter(Objects::nonNull))
                    .as("the victim's failure")
                    .hasSize(1)
                    .allSatisfy(failure -> {
                        assertThat(((SQLException) failure).getSQLState()).isIn("40001", "HYT00");
                        assertThat(classify(failure)).isEqualTo(TRANSIENT);
                    });
        }
    }

    /** What the statement throws, if anything; then the transaction is rolled back, so that the other can go on. */
    private CompletableFuture<Throwable> endOf(Connection connection, String sql) {
        return CompletableFuture.supplyAsync(() -> {
            Throwable failure = catchThrowable(() -> run(connection, sql));
            assertThat(catchThrowable(connection::rollback)).isNull();
            return failure;
        });
    }

    @Test
    void tellsAStatementTimeoutAsTransient() throws SQLException {
        try (Connection connection = h2();
                Statement statement = connection.createStatement()) {
            run(connection, "set query_timeout 50");

            assertThat(faultOf(() -> statement.execute(
                            "select count(*) from system_range(1, 100000) a, system_range(1, 100000) b")))
                    .isEqualTo(TRANSIENT);
        }
    }

    @Test
    void tellsAUniqueViolationAsPermanent() throws SQLException {
        try (Connection connection = h2()) {
            assertThat(faultOf(() -> run(connection, "insert into account values (1, 1)")))
                    .isEqualTo(PERMANENT);
        }
    }

    @Test
    void tellsNothingOfWrongSyntax() throws SQLException {
        try (Connection connection = h2()) {
            assertThat(faultOf(() -> run(connection, "selct 1"))).isEqualTo(UNKNOWN);
        }
    }

    @Test
    void tellsAWrongPasswordAsPermanent() {
        assertThat(faultOf(() -> DriverManager.getConnection("jdbc:h2:mem:faults", "sa", "wrong")))
                .isEqualTo(PERMANENT);
    }

    private Connection h2() throws SQLException {
        return DriverManager.getConnection("jdbc:h2:mem:faults", "sa", "");
    }

    private void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Fault faultOf(ThrowingCallable action) {
        return classify(catchThrowable(action));
    }

    private Fault classify(Throwable failure) {
        assertThat(failure).isNotNull();
        assertThat(FaultClassification.isInterrupt(failure)).isFalse();
        return faults.classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }
}
