package dev.resilience.fault;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import javax.naming.NamingSecurityException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.auth.login.LoginException;

/** Classifies the JDK's own exceptions, by SQLSTATE those of databases. */
final class JdkFaults {

    private static final Set<Class<? extends Throwable>> TRANSIENT = Set.of(
            ConnectException.class,
            NoRouteToHostException.class,
            PortUnreachableException.class,
            UnknownHostException.class,
            UnresolvedAddressException.class,
            SocketTimeoutException.class,
            HttpTimeoutException.class,
            TimeoutException.class,
            ClosedChannelException.class,
            SQLTransientException.class,
            SQLRecoverableException.class);

    private static final Set<Class<? extends Throwable>> PERMANENT = Set.of(
            Error.class,
            IllegalArgumentException.class,
            NullPointerException.class,
            ClassCastException.class,
            UnsupportedOperationException.class,
            SecurityException.class,
            LoginException.class,
            NamingSecurityException.class,
            AccessDeniedException.class,
            CertificateException.class,
            CertPathValidatorException.class,
            CertPathBuilderException.class,
            SSLPeerUnverifiedException.class,
            SQLIntegrityConstraintViolationException.class,
            SQLInvalidAuthorizationSpecException.class,
            SQLDataException.class);

    /** How the operating systems and the JDK's clients begin to report a connection that the other side gave up. */
    private static final Set<String> LOST_CONNECTION = Set.of(
            "connection reset",
            "broken pipe",
            "connection timed out",
            "connection aborted",
            "an existing connection was forcibly closed",
            "an established connection was aborted",
            "software caused connection abort",
            "network is unreachable",
            "no route to host",
            "http/1.1 header parser received no bytes",
            "eof reached while reading",
            "premature eof",
            "unexpected end of file from server");

    /**
     * The whole message of what reading an answer of the JDK's HTTP client throws when another thread closes it, which
     * is how Spring's read timeout ends it.
     */
    private static final String CLOSED_BY_A_READ_TIMEOUT = "closed";

    /** The alerts of RFC 8446, section 6.2, that concern a certificate. */
    private static final Set<String> CERTIFICATE_ALERTS = Set.of(
            "bad_certificate",
            "unsupported_certificate",
            "certificate_revoked",
            "certificate_expired",
            "certificate_unknown",
            "certificate_required",
            "unknown_ca");

    private static final Set<String> HANDSHAKE_CUT_OFF =
            Set.of("terminated the handshake", "abruptly closed by peer", "timed out");

    private JdkFaults() {}

    static Fault classify(Throwable failure) {
        for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
            if (TRANSIENT.contains(type)) {
                return Fault.TRANSIENT;
            }
            if (PERMANENT.contains(type)) {
                return Fault.PERMANENT;
            }
        }
        if (failure instanceof SQLException sql) {
            return sql instanceof SQLNonTransientException ? Fault.UNKNOWN : SqlStates.classify(sql);
        }
        if (failure instanceof SSLException tls) {
            return ofTls(tls);
        }
        return isLostConnection(failure) ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    /**
     * A handshake that the network cut off may succeed the next time, a certificate that was refused will be refused again. JDK 17
     * says the former without a cause where its HTTP client is at work, and the latter in words alone where it is the server that
     * refuses.
     */
    private static Fault ofTls(SSLException failure) {
        if (Causes.mention(failure, CERTIFICATE_ALERTS)) {
            return Fault.PERMANENT;
        }
        Throwable cause = failure.getCause();
        boolean cutOff = cause instanceof EOFException
                || cause instanceof SocketException
                || Causes.mention(failure, HANDSHAKE_CUT_OFF);
        return cutOff ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    /**
     * Words count only where they are the system's own: other classes of {@link IOException} may quote data and names of
     * files.
     */
    private static boolean isLostConnection(Throwable failure) {
        if (failure instanceof InterruptedIOException) {
            return Causes.mentionTimeout(failure);
        }
        Class<?> type = failure.getClass();
        if (type == IOException.class || type == EOFException.class) {
            return Causes.begin(failure, LOST_CONNECTION)
                    || Causes.messageOf(failure).equals(CLOSED_BY_A_READ_TIMEOUT);
        }
        return failure instanceof SocketException && Causes.mention(failure, LOST_CONNECTION);
    }

    /**
     * What an SQLSTATE tells, for drivers that throw a plain {@link SQLException}, as PostgreSQL's does whatever happened.
     *
     * <p>The first two characters are a class that the SQL standard (ISO/IEC 9075-2, subclause 24.1) or the database
     * defines; the five together are one condition. Of databases' own codes those of PostgreSQL (appendix A of its manual)
     * and the two timeouts of ODBC are known.
     */
    private static final class SqlStates {

        private static final String CONNECTION_EXCEPTION = "08";

        private static final Map<String, Fault> CONDITIONS = Map.ofEntries(
                Map.entry(
                        "08004",
                        Fault.UNKNOWN), // the server refuses the connection: full, or wants another way to log in
                Map.entry("08007", Fault.UNKNOWN), // the transaction may have been committed
                Map.entry("40002", Fault.PERMANENT), // rolled back, because of a constraint
                Map.entry("40003", Fault.UNKNOWN), // the statement may have been completed
                Map.entry("42501", Fault.PERMANENT), // no right of access
                Map.entry("55P03", Fault.TRANSIENT), // lock not available
                Map.entry("57014", Fault.TRANSIENT), // cancelled, which is how PostgreSQL and DB2 report a timeout
                Map.entry("57P01", Fault.TRANSIENT), // the administrator ends the connection or the server
                Map.entry("57P02", Fault.TRANSIENT), // another connection's process crashed
                Map.entry("57P03", Fault.TRANSIENT), // the server starts up or shuts down
                Map.entry("57P05", Fault.TRANSIENT), // the connection was idle for too long
                Map.entry("HYT00", Fault.TRANSIENT), // timeout
                Map.entry("HYT01", Fault.TRANSIENT)); // timeout of the connection

        private static final Map<String, Fault> CLASSES = Map.of(
                CONNECTION_EXCEPTION,
                Fault.TRANSIENT,
                "40", // rolled back: a deadlock, or what serializable transactions run into
                Fault.TRANSIENT,
                "53", // the server is out of connections, memory or disk
                Fault.TRANSIENT,
                "22", // data that does not fit: too long, out of range; Spring calls it a violated integrity too
                Fault.PERMANENT,
                "23", // constraint
                Fault.PERMANENT,
                "28", // authorisation
                Fault.PERMANENT);

        private SqlStates() {}

        static Fault classify(SQLException failure) {
            String state = failure.getSQLState();
            if (state == null || state.length() < 2) {
                return Fault.UNKNOWN;
            }
            String condition = state.toUpperCase(Locale.ROOT);
            String group = condition.substring(0, 2);
            if (group.equals(CONNECTION_EXCEPTION) && tellsOfMoreThanTheNetwork(failure)) {
                return Fault.UNKNOWN;
            }
            return CONDITIONS.getOrDefault(condition, CLASSES.getOrDefault(group, Fault.UNKNOWN));
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
            return Causes.of(failure).stream()
                    .anyMatch(link -> link instanceof SSLException
                            || link instanceof GeneralSecurityException
                            || link instanceof FileNotFoundException
                            || link instanceof FileSystemException);
        }
    }
}
