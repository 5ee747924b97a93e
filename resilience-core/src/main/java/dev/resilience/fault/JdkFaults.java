package dev.resilience.fault;

import java.io.EOFException;
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
import java.util.Set;
import java.util.concurrent.TimeoutException;
import javax.naming.NamingSecurityException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.auth.login.LoginException;

/** What is known of the JDK's own exceptions. */
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

    /** How the operating systems and the JDK's clients begin to tell of a connection that the other side gave up. */
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
            return TlsFaults.classify(tls);
        }
        return isLostConnection(failure) ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    /**
     * Words count only where they are the system's own: other classes of {@link IOException} may quote data and names of
     * files.
     */
    private static boolean isLostConnection(Throwable failure) {
        if (failure instanceof InterruptedIOException) {
            return ExceptionMessages.tellsOfTimeout(failure);
        }
        Class<?> type = failure.getClass();
        if (type == IOException.class || type == EOFException.class) {
            return ExceptionMessages.begins(failure, LOST_CONNECTION)
                    || ExceptionMessages.messageOf(failure).equals(CLOSED_BY_A_READ_TIMEOUT);
        }
        return failure instanceof SocketException && ExceptionMessages.mentions(failure, LOST_CONNECTION);
    }
}
