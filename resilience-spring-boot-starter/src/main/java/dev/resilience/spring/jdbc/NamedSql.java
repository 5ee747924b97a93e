package dev.resilience.spring.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A statement with {@code :names} in place of question marks, taken apart once. */
final class NamedSql {

    private static final Pattern NAME = Pattern.compile(":([a-z_]+)");

    private final String sql;
    private final List<String> names = new ArrayList<>();

    NamedSql(String written) {
        Matcher matcher = NAME.matcher(written);
        StringBuilder plain = new StringBuilder();
        while (matcher.find()) {
            names.add(matcher.group(1));
            matcher.appendReplacement(plain, "?");
        }
        this.sql = matcher.appendTail(plain).toString();
    }

    /** A statement ready to be executed, to be closed by the caller. */
    PreparedStatement prepare(Connection connection, Map<String, ?> values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            for (int i = 0; i < names.size(); i++) {
                statement.setObject(i + 1, values.get(names.get(i)));
            }
            return statement;
        } catch (SQLException | RuntimeException | Error broken) {
            statement.close();
            throw broken;
        }
    }

    /** Executes the query and says whether it finds a row. */
    boolean finds(Connection connection, Map<String, ?> values) throws SQLException {
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
    int update(Connection connection, Map<String, ?> values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, values)) {
            return statement.executeUpdate();
        }
    }
}
