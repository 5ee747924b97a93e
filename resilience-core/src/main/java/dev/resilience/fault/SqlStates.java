package dev.resilience.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static dev.resilience.fault.Fault.UNKNOWN;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLException;

/**
 * What an SQLSTATE tells, for drivers that throw a plain {@link SQLException}, as PostgreSQL's does whatever happened.
 *
 * <p>The first two characters are a class that the SQL standard (ISO/IEC 9075-2, subclause 24.1) or the database
 * defines; the five together are one condition. Of databases' own codes those of PostgreSQL (appendix A of its manual)
 * and the two timeouts of ODBC are known.
 */
final class SqlStates {

    private static final String CONNECTION_EXCEPTION = "08";

    private static final Map<String, Fault> CONDITIONS = Map.ofEntries(
            Map.entry("40002", PERMANENT), // rolled back, because of a constraint
            Map.entry("42501", PERMANENT), // no right of access
            Map.entry("55P03", TRANSIENT), // lock not available
            Map.entry("57014", TRANSIENT), // cancelled, which is how PostgreSQL and DB2 tell of a timeout
            Map.entry("57P01", TRANSIENT), // the administrator ends the connection or the server
            Map.entry("57P02", TRANSIENT), // another connection's process crashed
            Map.entry("57P03", TRANSIENT), // the server starts up or shuts down
            Map.entry("57P05", TRANSIENT), // the connection was idle for too long
            Map.entry("HYT00", TRANSIENT), // timeout
            Map.entry("HYT01", TRANSIENT)); // timeout of the connection

    private static final Map<String, Fault> CLASSES = Map.of(
            CONNECTION_EXCEPTION,
            TRANSIENT,
            "40", // rolled back: a deadlock, or what serializable transactions run into
            TRANSIENT,
            "53", // the server is out of connections, memory or disk
            TRANSIENT,
            "22", // data that does not fit: too long, out of range; Spring calls it a violated integrity too
            PERMANENT,
            "23", // constraint
            PERMANENT,
            "28", // authorisation
            PERMANENT);

    private SqlStates() {}

    static Fault classify(SQLException failure) {
        String state = failure.getSQLState();
        if (state == null || state.length() < 2) {
            return UNKNOWN;
        }
        String condition = state.toUpperCase(Locale.ROOT);
        String group = condition.substring(0, 2);
        if (group.equals(CONNECTION_EXCEPTION) && failure.getCause() instanceof SSLException) {
            return UNKNOWN; // a bad certificate is a failed connection too: left to the cause
        }
        Fault fault = CONDITIONS.get(condition);
        return fault != null ? fault : CLASSES.getOrDefault(group, UNKNOWN);
    }
}
