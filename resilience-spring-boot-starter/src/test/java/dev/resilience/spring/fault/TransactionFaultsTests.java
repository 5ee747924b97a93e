package dev.resilience.spring.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import java.net.ConnectException;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionSystemException;

/** What a transaction that could neither be committed nor rolled back tells of the fault behind it. */
class TransactionFaultsTests {

    private static final FaultClassification CAUSES =
            new FaultClassification(failure -> Fault.UNKNOWN, List.of(LibraryFaults::classify), List.of());
    private static final FaultClassification FAULTS = new FaultClassification(
            failure -> Fault.UNKNOWN,
            List.of(LibraryFaults::classify, failure -> LibraryFaults.ofTransactions(CAUSES, failure)),
            List.of());

    private static Fault classified(TransactionSystemException failure) {
        return FAULTS.classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }

    private static TransactionSystemException rollbackFailed(Throwable cause) {
        return new TransactionSystemException("JDBC rollback failed", cause);
    }

    @Test
    void aConnectionThatIsClosedWasLost() {
        assertThat(classified(rollbackFailed(new SQLException("Connection is closed"))))
                .isEqualTo(Fault.TRANSIENT);
        assertThat(classified(rollbackFailed(new SQLException("Connection has already been closed."))))
                .isEqualTo(Fault.TRANSIENT);
    }

    @Test
    void anSqlStateDecidesAsEverywhere() {
        assertThat(classified(rollbackFailed(new SQLException("deadlock", "40P01"))))
                .isEqualTo(Fault.TRANSIENT);
        assertThat(classified(rollbackFailed(new SQLException("duplicate", "23505"))))
                .isEqualTo(Fault.PERMANENT);
    }

    @Test
    void whatIsNotKnownStaysUnknown() {
        assertThat(classified(new TransactionSystemException("heuristic"))).isEqualTo(Fault.UNKNOWN);
        assertThat(classified(rollbackFailed(new SQLException("what now?")))).isEqualTo(Fault.UNKNOWN);
        assertThat(FAULTS.classify(new SQLException("Connection is closed"), FaultClassification.TRANSIENT_STATUSES))
                .isEqualTo(Fault.UNKNOWN);
    }

    @Test
    void theExceptionOfTheMethodDecidesWhereTheRollbackHidesIt() {
        TransactionSystemException ofTransient = rollbackFailed(new SQLException("what now?"));
        ofTransient.initApplicationException(new ConnectException("refused"));
        assertThat(classified(ofTransient)).isEqualTo(Fault.TRANSIENT);

        TransactionSystemException ofPermanent = rollbackFailed(new SQLException("Connection is closed"));
        ofPermanent.initApplicationException(new IllegalArgumentException("amount"));
        assertThat(classified(ofPermanent)).isEqualTo(Fault.PERMANENT);
    }
}
