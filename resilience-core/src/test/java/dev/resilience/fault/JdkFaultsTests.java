package dev.resilience.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static dev.resilience.fault.Fault.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.MalformedURLException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.sql.BatchUpdateException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.naming.AuthenticationException;
import javax.naming.NoPermissionException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.auth.login.FailedLoginException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is known of the JDK's exceptions without asking anybody: the rows of the table "which faults are transient". */
class JdkFaultsTests {

    private final FaultClassification faults = FaultClassification.ofJdk();

    @ParameterizedTest
    @MethodSource
    void isTransient(Throwable failure) {
        assertThat(classify(failure)).isEqualTo(TRANSIENT);
    }

    static Stream<Arguments> isTransient() {
        return Stream.of(
                argumentSet("timeout at a socket, without a word", new SocketTimeoutException()),
                argumentSet("no route, without a word", new NoRouteToHostException()),
                argumentSet("connection refused", new ConnectException("Connection refused")),
                argumentSet("connection reset", new SocketException("Connection reset")),
                argumentSet("connection reset, NIO", new IOException("Connection reset by peer")),
                argumentSet("broken pipe", new SocketException("Broken pipe")),
                argumentSet("broken pipe, NIO", new IOException("Broken pipe")),
                argumentSet("connection aborted, Windows", new SocketException("Software caused connection abort")),
                argumentSet(
                        "connection aborted, NIO on Windows",
                        new IOException("An established connection was aborted by the software in your host machine")),
                argumentSet("answer cut off", new SocketException("Unexpected end of file from server")),
                argumentSet("no answer at all", new IOException("HTTP/1.1 header parser received no bytes")),
                argumentSet("answer's body cut off", new EOFException("EOF reached while reading")),
                argumentSet("answer's chunk cut off", new IOException("Premature EOF")),
                argumentSet("answer's body closed by a read timeout", new IOException("closed")),
                argumentSet("channel closed", new ClosedChannelException()),
                argumentSet("channel closed by another thread", new AsynchronousCloseException()),
                argumentSet("no route", new NoRouteToHostException("No route to host")),
                argumentSet("no route to the network", new SocketException("Network is unreachable")),
                argumentSet("unknown host, NIO", new UnresolvedAddressException()),
                argumentSet("timeout, derived from an interrupt", new InterruptedIOException("timeout")),
                argumentSet("port unreachable", new PortUnreachableException()),
                argumentSet("unknown host", new UnknownHostException("nowhere.invalid")),
                argumentSet(
                        "unknown host, HTTP client",
                        withCause(new ConnectException(), new UnresolvedAddressException())),
                argumentSet("read timeout", new SocketTimeoutException("Read timed out")),
                argumentSet("HTTP timeout", new HttpTimeoutException("request timed out")),
                argumentSet("HTTP connect timeout", new HttpConnectTimeoutException("timed out")),
                argumentSet("a future's timeout", new TimeoutException()),
                argumentSet("SQL timeout", new SQLTimeoutException()),
                argumentSet("SQL rollback, deadlock", new SQLTransactionRollbackException()),
                argumentSet("pool exhausted", new SQLTransientConnectionException("Connection is not available")),
                argumentSet("SQL recoverable", new SQLRecoverableException("Closed Connection")),
                argumentSet("TLS cut off", withCause(new SSLHandshakeException("terminated"), new EOFException())),
                argumentSet("TLS reset", new SSLException("Connection reset", new SocketException("Connection reset"))),
                argumentSet("TLS reset, NIO", new SSLException("cut off", new IOException("Connection reset by peer"))),
                argumentSet(
                        "TLS read timeout", new SSLException("Read timed out", new SocketTimeoutException("timeout"))));
    }

    @ParameterizedTest
    @MethodSource
    void isPermanent(Throwable failure) {
        assertThat(classify(failure)).isEqualTo(PERMANENT);
    }

    static Stream<Arguments> isPermanent() {
        return Stream.of(
                argumentSet("SQL data", new SQLDataException()),
                argumentSet("illegal argument", new IllegalArgumentException()),
                argumentSet("a kind of illegal argument", new NumberFormatException()),
                argumentSet("null pointer", new NullPointerException()),
                argumentSet("class cast", new ClassCastException()),
                argumentSet("unsupported", new UnsupportedOperationException()),
                argumentSet("not authorised", new SecurityException()),
                argumentSet("not authenticated", new FailedLoginException()),
                argumentSet("database log-in refused", new SQLInvalidAuthorizationSpecException()),
                argumentSet("log-in at a directory refused", new AuthenticationException()),
                argumentSet("no right to a directory's entry", new NoPermissionException()),
                argumentSet("no right to a file", new AccessDeniedException("/etc/shadow")),
                argumentSet("constraint violated", new SQLIntegrityConstraintViolationException()),
                argumentSet(
                        "certificate refused by the server",
                        new SSLHandshakeException("Received fatal alert: certificate_unknown")),
                argumentSet("certificate expired", new CertificateExpiredException()),
                argumentSet("certificate path not valid", new CertPathValidatorException()),
                argumentSet("no certificate path", new CertPathBuilderException()),
                argumentSet(
                        "certificate refused in a handshake",
                        withCause(new SSLHandshakeException("PKIX"), new CertificateExpiredException())),
                argumentSet("peer unverified", new SSLPeerUnverifiedException("no certificate")),
                argumentSet("out of memory", new OutOfMemoryError()),
                argumentSet("stack overflow", new StackOverflowError()),
                argumentSet("assertion", new AssertionError()),
                argumentSet("a class is missing", new NoClassDefFoundError()),
                argumentSet("an error with a transient cause", new AssertionError(new ConnectException())),
                argumentSet(
                        "class initialisation with a transient cause",
                        new ExceptionInInitializerError(new ConnectException())));
    }

    @ParameterizedTest
    @MethodSource
    void isUnknown(Throwable failure) {
        assertThat(classify(failure)).isEqualTo(UNKNOWN);
    }

    static Stream<Arguments> isUnknown() {
        return Stream.of(
                argumentSet(
                        "words of a connection in the name of a file",
                        new FileNotFoundException("/logs/connection reset.txt (No such file or directory)")),
                argumentSet("words of a connection in data", new MalformedURLException("connection timed out")),
                argumentSet("words of a connection, quoted", new IOException("invalid pipeline: broken pipe | cat")),
                argumentSet("words of a timeout in an I/O exception", new IOException("no timeout is configured")),
                argumentSet("words of a timeout in TLS", new SSLException("check jdk.tls.timeout")),
                argumentSet("a file that is closed", new FileSystemException("closed")),
                argumentSet("SQL syntax", new SQLSyntaxErrorException()),
                argumentSet("anything", new Exception()),
                argumentSet("anything at run time", new RuntimeException("Connection reset")),
                argumentSet("state", new IllegalStateException()),
                argumentSet("I/O without a message", new IOException((String) null)),
                argumentSet("I/O of another kind", new IOException("No space left on device")),
                argumentSet("file missing", new FileNotFoundException()),
                argumentSet("interrupted", new InterruptedIOException()),
                argumentSet("interrupted at a channel", new ClosedByInterruptException()),
                argumentSet(
                        "interrupted in an HTTP call",
                        withCause(new IOException("closed"), new InterruptedException())),
                argumentSet("I/O on what is closed", new IOException("Stream closed")),
                argumentSet("end of file", new EOFException()),
                argumentSet("protocol", new ProtocolException()),
                argumentSet("socket of another kind", new SocketException("Protocol family unavailable")),
                argumentSet("TLS without a reason", new SSLException("Unrecognized SSL message")),
                argumentSet("SQL", new SQLException("ORA-00600")),
                argumentSet("SQL connection not transient", new SQLNonTransientConnectionException()),
                argumentSet("SQL not supported", new SQLFeatureNotSupportedException()),
                argumentSet("SQL batch", new BatchUpdateException()),
                argumentSet("a future's wrapper without a cause", new CompletionException("?", null)),
                argumentSet("a wrapper around the unknown", new ExecutionException(new Exception())));
    }

    @Test
    void theWordingOfALostConnectionIsFoundInAnyCase() {
        assertThat(classify(new IOException("CONNECTION RESET BY PEER"))).isEqualTo(TRANSIENT);
        assertThat(classify(new SocketException("Write failed: Broken pipe (32)")))
                .isEqualTo(TRANSIENT);
    }

    @ParameterizedTest
    @MethodSource
    void isTransientToo(Throwable failure) {
        assertThat(classify(failure)).isEqualTo(TRANSIENT);
    }

    static Stream<Arguments> isTransientToo() {
        return Stream.of(
                argumentSet("TCP timeout while reading, NIO", new IOException("Connection timed out")),
                argumentSet("TCP timeout while reading", new SocketException("Connection timed out (Read failed)")),
                argumentSet(
                        "connection reset, NIO on Windows",
                        new IOException("An existing connection was forcibly closed by the remote host")));
    }

    private Fault classify(Throwable failure) {
        return faults.classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }

    private static Throwable withCause(Throwable failure, Throwable cause) {
        return failure.initCause(cause);
    }
}
