package dev.resilience.fault;

import java.io.EOFException;
import java.net.SocketException;
import java.util.Set;
import javax.net.ssl.SSLException;

/**
 * What is known of TLS: a handshake that the network cut off may succeed the next time, a certificate that was refused
 * will be refused again. JDK 17 says the former without a cause where its HTTP client is at work, and the latter in
 * words alone where it is the server that refuses.
 */
final class TlsFaults {

    /** The alerts of RFC 8446, section 6.2, that tell of a certificate. */
    private static final Set<String> CERTIFICATE = Set.of(
            "bad_certificate",
            "unsupported_certificate",
            "certificate_revoked",
            "certificate_expired",
            "certificate_unknown",
            "certificate_required",
            "unknown_ca");

    private static final Set<String> CUT_OFF =
            Set.of("terminated the handshake", "abruptly closed by peer", "timed out");

    private TlsFaults() {}

    static Fault classify(SSLException failure) {
        if (ExceptionMessages.mentions(failure, CERTIFICATE)) {
            return Fault.PERMANENT;
        }
        Throwable cause = failure.getCause();
        boolean cutOff = cause instanceof EOFException
                || cause instanceof SocketException
                || ExceptionMessages.mentions(failure, CUT_OFF);
        return cutOff ? Fault.TRANSIENT : Fault.UNKNOWN;
    }
}
