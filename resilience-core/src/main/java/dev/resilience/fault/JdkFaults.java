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
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeoutException;
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
            CertificateException.class,
            CertPathValidatorException.class,
            CertPathBuilderException.class,
            SSLPeerUnverifiedException.class,
            SQLIntegrityConstraintViolationException.class,
            SQLInvalidAuthorizationSpecException.class);

    /** How the operating systems and the JDK's clients word a connection that the other side gave up. */
    private static final Set<String> LOST_CONNECTION = Set.of(
            "connection reset",
            "broken pipe",
            "connection timed out",
            "forcibly closed by the remote host",
            "network is unreachable",
            "no route to host",
            "connection aborted",
            "an established connection was aborted",
            "software caused connection abort",
            "header parser received no bytes",
            "unexpected end of file from server");

    private static final Set<String> TIMEOUT = Set.of("timeout", "timed out");

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
        return isLostConnection(failure) ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    private static boolean isLostConnection(Throwable failure) {
        if (failure instanceof SSLException) {
            Throwable cause = failure.getCause();
            return cause instanceof EOFException || cause instanceof SocketException;
        }
        return (failure instanceof IOException && mentions(failure, LOST_CONNECTION))
                || (failure instanceof InterruptedIOException && tellsOfTimeout(failure));
    }

    static boolean tellsOfTimeout(Throwable failure) {
        return mentions(failure, TIMEOUT);
    }

    private static boolean mentions(Throwable failure, Set<String> phrases) {
        if (failure.getMessage() == null) {
            return false;
        }
        String message = failure.getMessage().toLowerCase(Locale.ROOT);
        return phrases.stream().anyMatch(message::contains);
    }
}
