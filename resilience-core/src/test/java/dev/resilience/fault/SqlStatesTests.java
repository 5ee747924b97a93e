package dev.resilience.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static dev.resilience.fault.Fault.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTransientException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a driver's plain {@link SQLException} tells by its SQLSTATE. */
class SqlStatesTests {

    @ParameterizedTest(name = "{0} {2}: {1}")
    @CsvSource({
        "08000, TRANSIENT, connection",
        "08001, TRANSIENT, cannot connect",
        "08003, TRANSIENT, connection does not exist",
        "08006, TRANSIENT, connection failure",
        "08004, UNKNOWN, refused by the server",
        "08007, UNKNOWN, resolution of a transaction unknown",
        "08S01, TRANSIENT, communication link",
        "40001, TRANSIENT, serialization failure; deadlock in H2 and SQL Server",
        "40003, UNKNOWN, completion unknown",
        "40P01, TRANSIENT, deadlock in PostgreSQL",
        "53100, TRANSIENT, disk full",
        "53300, TRANSIENT, too many connections",
        "55P03, TRANSIENT, lock not available",
        "57014, TRANSIENT, cancelled by a timeout",
        "57P01, TRANSIENT, connection ended by the administrator",
        "57P02, TRANSIENT, crash of another process",
        "57P03, TRANSIENT, starting up",
        "57P05, TRANSIENT, idle for too long",
        "HYT00, TRANSIENT, timeout",
        "hyt01, TRANSIENT, connection timeout",
        "22001, PERMANENT, string too long",
        "22012, PERMANENT, division by zero",
        "23505, PERMANENT, unique violation",
        "23000, PERMANENT, constraint",
        "40002, PERMANENT, rolled back because of a constraint",
        "28000, PERMANENT, not authorised",
        "28P01, PERMANENT, wrong password",
        "42601, UNKNOWN, syntax",
        "42501, PERMANENT, no right of access",
        "42P01, UNKNOWN, no such table",
        "25P02, UNKNOWN, in a failed transaction",
        "55006, UNKNOWN, object in use",
        "57P04, UNKNOWN, database dropped",
        "58030, UNKNOWN, I/O error of the server",
        "XX000, UNKNOWN, internal error",
        "HY000, UNKNOWN, anything",
        "4, UNKNOWN, no SQLSTATE at all",
        "'', UNKNOWN, nothing",
        ", UNKNOWN, null"
    })
    void tell(String state, Fault fault, String meaning) {
        assertThat(classify(new SQLException(meaning, state))).isEqualTo(fault);
    }

    @Test
    void leaveAConnectionThatFailedForItsCertificateToTheCause() {
        Throwable badCertificate =
                new IOException(new SSLHandshakeException("?").initCause(new CertificateException()));

        assertThat(classify(new SQLException("failed", "08006", badCertificate)))
                .isEqualTo(PERMANENT);
        assertThat(classify(new SQLException("failed", "08006", new CertificateException("garbage"))))
                .isEqualTo(PERMANENT);
        assertThat(classify(new SQLException("failed", "08006", new FileNotFoundException("root.crt"))))
                .isEqualTo(UNKNOWN);
    }

    @Test
    void tellOfABatchToo() {
        assertThat(classify(new BatchUpdateException("deadlock", "40P01", new int[0])))
                .isEqualTo(TRANSIENT);
    }

    @Test
    void areAskedOnlyWhereTheExceptionsClassDoesNotTell() {
        assertThat(classify(new SQLTransientException("?", "42601"))).isEqualTo(TRANSIENT);
        assertThat(classify(new SQLSyntaxErrorException("?", "40001"))).isEqualTo(UNKNOWN);
        assertThat(classify(new SQLNonTransientConnectionException("?", "08000")))
                .isEqualTo(UNKNOWN);
    }

    @Test
    void leaveAConnectionThatFailedInTlsToTheCause() {
        SSLHandshakeException refused = new SSLHandshakeException("refused");
        refused.initCause(new CertificateExpiredException());
        SSLHandshakeException cutOff = new SSLHandshakeException("cut off");
        cutOff.initCause(new EOFException());

        assertThat(classify(new SQLException("no connection", "08006", refused)))
                .isEqualTo(PERMANENT);
        assertThat(classify(new SQLException("no connection", "08006", cutOff))).isEqualTo(TRANSIENT);
        assertThat(classify(new SQLException("no connection", "08006", new IOException("?"))))
                .isEqualTo(TRANSIENT);
    }

    private static Fault classify(SQLException failure) {
        return FaultClassification.ofJdk().classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }
}
