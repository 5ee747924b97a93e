package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** The store's own statements commit or not as they should, whatever the connections of the pool do by themselves. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class OwnTransactionsTests {

    private final Databases database;

    OwnTransactionsTests(Databases database) {
        this.database = database;
    }

    private void onAPoolThatDoesNotCommit(TestShop.Use use) {
        TestShop.with(database, pool -> pool.setAutoCommit(false), runner -> runner, use);
    }

    @Test
    void aPoolThatDoesNotCommitByItselfWorksAsAnyOther() {
        onAPoolThatDoesNotCommit(TestShop::assertCommitsBoth);
        onAPoolThatDoesNotCommit(TestShop::assertCommitsNeither);
        onAPoolThatDoesNotCommit(TestShop::assertRollsBackAReplacedOwner);
    }

    @Test
    void aConnectionIsGivenBackAsItWas() throws SQLException {
        try (HikariDataSource pool = database.pool();
                Connection connection = pool.getConnection()) {
            for (boolean before : new boolean[] {true, false}) {
                connection.setAutoCommit(before);
                assertThat(JdbcStore.committing(connection, Connection::getAutoCommit))
                        .isTrue();
                assertThat(connection.getAutoCommit()).isEqualTo(before);
            }
        }
    }

    @Test
    void nothingIsLeftOfATransactionThatFails() throws SQLException {
        try (HikariDataSource pool = database.pool();
                Connection connection = pool.getConnection()) {
            JdbcTemplate outside = new JdbcTemplate(pool);
            outside.execute("DROP TABLE IF EXISTS effects");
            outside.execute("CREATE TABLE effects (name VARCHAR(100) PRIMARY KEY)");

            assertThatThrownBy(() -> JdbcStore.inTransaction(connection, own -> {
                        try (Statement statement = own.createStatement()) {
                            statement.executeUpdate("INSERT INTO effects (name) VALUES ('half')");
                        }
                        throw new SQLException("the other half fails");
                    }))
                    .hasMessage("the other half fails");

            assertThat(outside.queryForList("SELECT name FROM effects")).isEmpty();
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }
}
