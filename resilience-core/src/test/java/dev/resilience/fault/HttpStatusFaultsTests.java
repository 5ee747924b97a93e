package dev.resilience.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static dev.resilience.fault.Fault.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpStatusFaultsTests {

    private final FaultClassification faults =
            new FaultClassification(failure -> UNKNOWN, List.of(), List.of(HttpStatusFaultsTests::read));

    @ParameterizedTest
    @ValueSource(ints = {408, 429, 502, 503, 504})
    void isTransient(int status) {
        assertThat(classify(status)).isEqualTo(TRANSIENT);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 409, 410, 422, 425, 451, 499})
    void isPermanentAsEveryOtherOfTheFourHundreds(int status) {
        assertThat(classify(status)).isEqualTo(PERMANENT);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 501, 505, 507, 599, 302, 200, 600, 0, -1})
    void isUnknownAsEverythingElse(int status) {
        assertThat(classify(status)).isEqualTo(UNKNOWN);
    }

    @Test
    void aPolicysOwnStatusesReplaceTheUsualOnes() {
        Set<Integer> own = Set.of(404, 500);

        assertThat(faults.classify(new Answered(500), own)).isEqualTo(TRANSIENT);
        assertThat(faults.classify(new Answered(404), own)).isEqualTo(TRANSIENT);
        assertThat(faults.classify(new Answered(429), own)).isEqualTo(PERMANENT);
        assertThat(faults.classify(new Answered(503), own)).isEqualTo(UNKNOWN);
    }

    @Test
    void theStatusOfACauseCounts() {
        assertThat(faults.classify(new RuntimeException(new Answered(503)), FaultClassification.TRANSIENT_STATUSES))
                .isEqualTo(TRANSIENT);
        assertThat(faults.classify(new RuntimeException(new Answered(404)), FaultClassification.TRANSIENT_STATUSES))
                .isEqualTo(PERMANENT);
    }

    @Test
    void theCauseDecidesWhereTheStatusDoesNot() {
        Throwable failure = new Answered(500).initCause(new ConnectException());

        assertThat(faults.classify(failure, FaultClassification.TRANSIENT_STATUSES))
                .isEqualTo(TRANSIENT);
    }

    @Test
    void theFirstReaderThatKnowsTheExceptionIsBelieved() {
        FaultClassification several = new FaultClassification(
                failure -> UNKNOWN,
                List.of(),
                List.of(failure -> null, failure -> new HttpFailure(503, null), failure -> new HttpFailure(404, null)));

        assertThat(several.classify(new Exception(), FaultClassification.TRANSIENT_STATUSES))
                .isEqualTo(TRANSIENT);
    }

    @Test
    void theAnswerIsFoundInTheExceptionOrTheFirstCauseThatCarriesOne() {
        Throwable inner = new Answered(404);
        Throwable outer = new RuntimeException(new Answered(503).initCause(inner));

        assertThat(faults.httpFailure(outer)).isEqualTo(new HttpFailure(503, "120"));
        assertThat(faults.httpFailure(inner)).isEqualTo(new HttpFailure(404, "120"));
        assertThat(faults.httpFailure(new Exception())).isNull();
        assertThat(FaultClassification.ofJdk().httpFailure(outer)).isNull();
    }

    private Fault classify(int status) {
        return faults.classify(new Answered(status), FaultClassification.TRANSIENT_STATUSES);
    }

    private static @Nullable HttpFailure read(Throwable failure) {
        return failure instanceof Answered answered ? new HttpFailure(answered.status, "120") : null;
    }

    private static final class Answered extends RuntimeException {

        private final int status;

        Answered(int status) {
            this.status = status;
        }
    }
}
