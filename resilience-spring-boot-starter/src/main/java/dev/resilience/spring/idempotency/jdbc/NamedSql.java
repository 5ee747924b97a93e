package dev.resilience.spring.idempotency.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;
import org.springframework.jdbc.core.namedparam.ParsedSql;

/**
 * A statement with {@code :names} in place of question marks, parsed once by Spring. Not executed by Spring's
 * {@code NamedParameterJdbcTemplate}, because the steps of a claim tell failures apart by their SQL state.
 */
public final class NamedSql {

    private final ParsedSql parsed;
    private final String sql;

    NamedSql(String written) {
        this.parsed = NamedParameterUtils.parseSqlStatement(written);
        this.sql = NamedParameterUtils.substituteNamedParameters(parsed, null);
    }

    /** A statement ready to be executed, to be closed by the caller. */
    public PreparedStatement prepare(Connection connection, Map<String, ?> values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            @Nullable
            Object[] parameters = NamedParameterUtils.buildValueArray(parsed, new MapSqlParameterSource(values), null);
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement;
        } catch (SQLException | RuntimeException | Error broken) {
            statement.close();
            throw broken;
        }
    }

    /** Executes the query and says whether it finds a row. */
    public boolean finds(Connection connection, Map<String, ?> values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            return row.next();
        }
    }

    /** Executes the query and returns the text that it finds; {@code null} if it finds no row. */
    @Nullable
    String text(Connection connection, Map<String, ?> values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getString(1) : null;
        }
    }

    /** Executes the statement and returns how many rows it changed. */
    public int update(Connection connection, Map<String, ?> values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, values)) {
            return statement.executeUpdate();
        }
    }
}
