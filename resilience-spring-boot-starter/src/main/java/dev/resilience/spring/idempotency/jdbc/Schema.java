package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.spring.ResilienceConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** A store's table: makes it, and says what to do where it is missing. */
public final class Schema {

    private final List<String> statements;
    private final String table;
    private final String columns;
    private final String who;
    private final String property;

    /**
     * @param statements what makes the table
     * @param columns those that the store needs
     * @param who needs the table, and what for: {@code Methods are @Idempotent, and need the table 'a'}
     * @param property the one that lets the application make it
     */
    public Schema(List<String> statements, String table, String columns, String who, String property) {
        this.statements = statements;
        this.table = table;
        this.columns = columns;
        this.who = who;
        this.property = property;
    }

    static Schema ofRecords(Dialect dialect, String table) {
        return new Schema(
                dialect.schema(table),
                table,
                "id, caller_hash, operation, fingerprint, state, owner, fence, take_over, valid_until, cleanup_after, kind,"
                        + " result",
                "Methods are @Idempotent, and the table '" + table + "' for their records",
                "resilience.idempotency-store.jdbc.initialize-schema");
    }

    /** Makes the table and its indexes, unless they are there. */
    public void create(Connection connection) throws SQLException {
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
    public void check(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery("SELECT " + columns + " FROM " + table + " WHERE 1 = 0")
                    .close();
        } catch (SQLException missing) {
            String state = String.valueOf(missing.getSQLState());
            if (!state.startsWith("42")) { // whatever it is, it is not about the table's definition
                throw missing;
            }
            throw new ResilienceConfigurationException(
                    who + " is missing or not as it should be: " + missing.getMessage(),
                    "Let the application make it with '" + property + ": always', or run:\n\n"
                            + String.join(";\n\n", statements) + ";");
        }
    }
}
