package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.spring.ResilienceConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The table of records: makes it, and says what to do where it is missing. */
final class Schema {

    private final List<String> statements;
    private final String table;

    Schema(Dialect dialect, String table) {
        this.statements = dialect.schema(table);
        this.table = table;
    }

    /** Makes the table and its indexes, unless they are there. */
    void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String part : statements) {
                statement.execute(part);
            }
        } catch (SQLException failure) {
            check(connection); // another instance may have been faster
        }
    }

    /**
     * Makes sure that the table is there and has its columns.
     *
     * @throws ResilienceConfigurationException if not, with the statements that make it
     */
    void check(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery(
                            "SELECT id, caller_hash, operation, fingerprint, state, owner, fence, take_over, valid_until,"
                                    + " cleanup_after, kind, result FROM " + table + " WHERE 1 = 0")
                    .close();
        } catch (SQLException missing) {
            String state = String.valueOf(missing.getSQLState());
            if (!state.startsWith("42")) { // whatever it is, it is not about the table's definition
                throw missing;
            }
            throw new ResilienceConfigurationException(
                    "Methods are @Idempotent, and the table '" + table + "' for their records is missing or not as it "
                            + "should be: " + missing.getMessage(),
                    "Let the application make it with 'resilience.idempotency-store.jdbc.initialize-schema: always', or "
                            + "run:\n\n" + String.join(";\n\n", statements) + ";");
        }
    }
}
