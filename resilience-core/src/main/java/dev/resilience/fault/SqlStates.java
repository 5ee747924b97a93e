package dev.resilience.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static dev.resilience.fault.Fault.UNKNOWN;

import java.io.FileNotFoundException;
import java.nio.file.FileSystemException;
import java.security.GeneralSecurityException;
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
            Map.entry("08004", UNKNOWN), // the server refuses the connection: full, or wants another way to log in
            Map.entry("08007", UNKNOWN), // the transaction may have been committed
            Map.entry("40002", PERMANENT), // rolled back, because of a constraint
            Map.entry("40003", UNKNOWN), // the statement may have been completed
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
        if (group.equals(CONNECTION_EXCEPTION) && tellsOfMoreThanTheNetwork(failure)) {
            return UNKNOWN;
        }
        Fault fault = CONDITIONS.get(condition);
        return fault != null ? fault : CLASSES.getOrDefault(group, UNKNOWN);
    }

    /**
     * A bad certificate, or a file of them that is missing, is a failed connection too, and left to the cause. Where
     * PostgreSQL's driver has nothing but its own word for a failed connection, the server's name did not fit its
     * certificate.
     */
    private static boolean tellsOfMoreThanTheNetwork(SQLException failure) {
        boolean ofPostgres = failure.getClass().getName().startsWith("org.postgresql.");
        if (ofPostgres && failure.getCause() == null && "08006".equals(failure.getSQLState())) {
            return true;
        }
        return CauseChain.of(failure).stream()
                .anyMatch(link -> link instanceof SSLException
                        || link instanceof GeneralSecurityException
                        || link instanceof FileNotFoundException
                        || link instanceof FileSystemException);
    }
}
