package dev.resilience.spring.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.spring.RefusingPort;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.apache.commons.dbcp2.BasicDataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionTemplate;

/** Pools, drivers and networks on the way to a database: what they really throw, and what kind of fault that is. */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
@Timeout(120)
class JdbcFaultsTests {

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    @Nested
    class AnExhaustedPool {

        @Test
        void isTransientByItself() throws SQLException {
            try (HikariDataSource pool = pool();
                    Connection only = pool.getConnection()) {
                assertThat(only.isClosed()).isFalse();
                assertThat(faultOf(pool::getConnection)).isEqualTo(TRANSIENT);
            }
        }

        @Test
        void ofDbcpIsTransient() throws SQLException {
            try (BasicDataSource pool = new BasicDataSource()) {
                pool.setUrl("jdbc:h2:mem:dbcp");
                pool.setMaxTotal(1);
                pool.setMaxWait(Duration.ofMillis(50));
                try (Connection only = pool.getConnection()) {
                    assertThat(only.isClosed()).isFalse();
                    assertThat(faultOf(pool::getConnection)).isEqualTo(TRANSIENT);
                }
            }
        }

        @Test
        void ofTomcatIsTransient() throws SQLException {
            org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource();
            pool.setUrl("jdbc:h2:mem:tomcat");
            pool.setDriverClassName("org.h2.Driver");
            pool.setMaxActive(1);
            pool.setInitialSize(1);
            pool.setMinIdle(1);
            pool.setMaxIdle(1);
            pool.setMaxWait(50);
            try (Connection only = pool.getConnection()) {
                assertThat(only.isClosed()).isFalse();
                assertThat(faultOf(pool::getConnection)).isEqualTo(TRANSIENT);
            } finally {
                pool.close();
            }
        }

        @Test
        void isTransientThroughSpringsTemplate() throws SQLException {
            try (HikariDataSource pool = pool();
                    Connection only = pool.getConnection()) {
                assertThat(only.isClosed()).isFalse();
                Throwable failure = catchThrowable(() -> new JdbcTemplate(pool).execute("select 1"));

                assertThat(failure).isInstanceOf(CannotGetJdbcConnectionException.class);
                assertThat(classify(failure)).isEqualTo(TRANSIENT);
            }
        }

        @Test
        void isTransientWhereATransactionBegins() throws SQLException {
            try (HikariDataSource pool = pool();
                    Connection only = pool.getConnection()) {
                assertThat(only.isClosed()).isFalse();
                Throwable failure = catchThrowable(() -> transactions(pool).executeWithoutResult(status -> {}));

                assertThat(failure).isInstanceOf(CannotCreateTransactionException.class);
                assertThat(classify(failure)).isEqualTo(TRANSIENT);
            }
        }
    }

    @Nested
    class ATransaction {

        @Test
        void thatIsOutOfTimeIsTransient() throws SQLException {
            try (HikariDataSource pool = pool()) {
                TransactionTemplate transactions = transactions(pool);
                transactions.setTimeout(0);
                JdbcTemplate template = new JdbcTemplate(pool);
                Throwable failure =
                        catchThrowable(() -> transactions.executeWithoutResult(status -> template.execute("select 1")));

                assertThat(failure).isInstanceOf(TransactionTimedOutException.class);
                assertThat(classify(failure)).isEqualTo(TRANSIENT);
            }
        }
    }

    /** PostgreSQL's driver against servers that are none: all of it comes as one class of exception, SQLSTATE 08xxx. */
    @Nested
    class AConnection {

        @Test
        void thatIsRefusedIsTransient() throws IOException {
            assertThat(faultOf(() -> connect(RefusingPort.url(), ""))).isEqualTo(TRANSIENT);
        }

        @Test
        void toAnUnknownHostIsTransient() {
            assertThat(faultOf(() -> connect("http://nowhere.invalid:5432", "")))
                    .isEqualTo(TRANSIENT);
        }

        @Test
        void thatEndsAtOnceIsTransient() throws IOException {
            try (FaultyServers trouble = new FaultyServers()) {
                assertThat(faultOf(() -> connect(trouble.hangingUp(), ""))).isEqualTo(TRANSIENT);
            }
        }

        @Test
        void thatIsResetIsTransient() throws IOException {
            try (FaultyServers trouble = new FaultyServers()) {
                assertThat(faultOf(() -> connect(trouble.resetting(), ""))).isEqualTo(TRANSIENT);
            }
        }

        @Test
        void thatHangsIsTransient() throws IOException {
            try (FaultyServers trouble = new FaultyServers()) {
                assertThat(faultOf(() -> connect(trouble.hanging(), "&socketTimeout=1")))
                        .isEqualTo(TRANSIENT);
            }
        }

        @Test
        void thatNobodyTrustsIsPermanent() throws Exception {
            try (FaultyServers trouble = new FaultyServers()) {
                String url = trouble.untrustedPostgres(Certificate.selfSigned());
                assertThat(faultOf(() -> connect(
                                url, "&sslmode=verify-full&sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory")))
                        .isEqualTo(PERMANENT);
            }
        }

        @Test
        void whoseTlsHandshakeIsCutOffIsTransient() throws Exception {
            try (FaultyServers trouble = new FaultyServers()) {
                assertThat(faultOf(() -> connect(trouble.cuttingOffTlsAsPostgres(), "&sslmode=require")))
                        .isEqualTo(TRANSIENT);
            }
        }

        private void connect(String url, String parameters) throws SQLException {
            URI address = URI.create(url);
            DriverManager.getConnection("jdbc:postgresql://" + address.getHost() + ":" + address.getPort()
                            + "/?user=nobody&gssEncMode=disable" + parameters)
                    .close();
        }
    }

    @Test
    void aPoolWithoutADatabaseIsTransient() throws IOException {
        HikariConfig config = new HikariConfig();
        URI nobody = URI.create(RefusingPort.url());
        config.setJdbcUrl("jdbc:postgresql://" + nobody.getHost() + ":" + nobody.getPort() + "/");
        config.setConnectionTimeout(250);
        assertThatThrownBy(() -> new HikariDataSource(config).close())
                .satisfies(failure -> assertThat(classify(failure)).isEqualTo(TRANSIENT));
    }

    private static HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:pool");
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(250); // the shortest that it takes
        return new HikariDataSource(config);
    }

    private static TransactionTemplate transactions(HikariDataSource pool) {
        return new TransactionTemplate(new DataSourceTransactionManager(pool));
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
