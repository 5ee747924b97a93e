package dev.resilience.spring.idempotency.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;
import org.springframework.jdbc.core.namedparam.ParsedSql;
import org.springframework.util.CollectionUtils;

/**
 * A statement with {@code :names} in place of question marks, parsed once by Spring. Not executed by Spring's
 * {@code NamedParameterJdbcTemplate}, because the steps of a claim tell failures apart by their SQL state.
 */
public final class NamedSql {

    private final ParsedSql parsed;
    private final String sql;

    /** What is read from a row. */
    @FunctionalInterface
    public interface Row<T> {

        T of(ResultSet row) throws SQLException;
    }

    NamedSql(String written) {
        this.parsed = NamedParameterUtils.parseSqlStatement(written);
        this.sql = NamedParameterUtils.substituteNamedParameters(parsed, null);
    }

    /** Executes the query and returns its rows. */
    public <T> List<T> rows(Connection connection, Map<String, ?> values, Row<T> row) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, values);
            ResultSet found = statement.executeQuery();
            List<T> rows = new ArrayList<>();
            while (found.next()) {
                rows.add(row.of(found));
            }
            return rows;
        }
    }

    /** Executes the query and says whether it finds a row. */
    public boolean finds(Connection connection, Map<String, ?> values) throws SQLException {
        return !rows(connection, values, row -> true).isEmpty();
    }

    /** Executes the query and returns the text that it finds; {@code null} if it finds no row. */
    @Nullable
    String text(Connection connection, Map<String, ?> values) throws SQLException {
        return CollectionUtils.firstElement(rows(connection, values, row -> row.getString(1)));
    }

    /** Executes the statement and returns how many rows it changed. */
    public int update(Connection connection, Map<String, ?> values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, values);
            return statement.executeUpdate();
        }
    }

    private void set(PreparedStatement statement, Map<String, ?> values) throws SQLException {
        @Nullable
        Object[] parameters = NamedParameterUtils.buildValueArray(parsed, new MapSqlParameterSource(values), null);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }
}
