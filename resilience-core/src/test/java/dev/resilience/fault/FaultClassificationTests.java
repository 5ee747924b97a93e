package dev.resilience.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static dev.resilience.fault.Fault.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.resilience.event.CapturedLog;
import dev.resilience.pipeline.Sneaky;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class FaultClassificationTests {

    private static final FaultClassifier KNOWS_NOTHING = failure -> UNKNOWN;

    @Nested
    class Causes {

        @Test
        void areLookedAtWhenNothingIsKnownOfTheExceptionItself() {
            assertThat(ofJdk(wrapped(new ConnectException()))).isEqualTo(TRANSIENT);
            assertThat(ofJdk(wrapped(wrapped(wrapped(new IllegalArgumentException())))))
                    .isEqualTo(PERMANENT);
        }

        @Test
        void ofFuturesAreSeenThroughTheirWrappers() {
            assertThat(ofJdk(new CompletionException(new ExecutionException(new ConnectException()))))
                    .isEqualTo(TRANSIENT);
        }

        @Test
        void doNotMatterWhereTheExceptionItselfIsKnown() {
            assertThat(ofJdk(new IllegalArgumentException(new ConnectException())))
                    .isEqualTo(PERMANENT);
            assertThat(ofJdk(new ConnectException().initCause(new IllegalArgumentException())))
                    .isEqualTo(TRANSIENT);
        }

        @Test
        void thatAreErrorsArePermanent() {
            assertThat(ofJdk(wrapped(new OutOfMemoryError()))).isEqualTo(PERMANENT);
        }

        @Test
        void mayGoInACircle() {
            Exception outer = new Exception("outer");
            Exception inner = new Exception("inner", outer);
            outer.initCause(inner);

            assertThat(ofJdk(outer)).isEqualTo(UNKNOWN);
            assertThat(FaultClassification.ofJdk().httpFailure(outer)).isNull();
            assertThat(new ExceptionRules(List.of(ConnectException.class), List.of()).verdict(outer))
                    .isNull();
        }

        @Test
        void ofAbsurdDepthAreNotFollowedForEver() {
            Throwable deep = new ConnectException();
            for (int i = 0; i < 1_000; i++) {
                deep = new Exception("deep", deep);
            }

            assertThat(ofJdk(deep)).isEqualTo(UNKNOWN);
        }
    }

    @Nested
    class MarkedAsTransient {

        @Test
        void isTransient() {
            assertThat(ofJdk(new Overloaded())).isEqualTo(TRANSIENT);
        }

        @Test
        void isTransientAlthoughItExtendsWhatIsPermanent() {
            class OverloadedArgument extends IllegalArgumentException implements TransientFault {}

            assertThat(ofJdk(new OverloadedArgument())).isEqualTo(TRANSIENT);
        }

        @Test
        void isTransientAsACause() {
            assertThat(ofJdk(wrapped(new Overloaded()))).isEqualTo(TRANSIENT);
        }
    }

    @Nested
    class TheApplicationsClassifier {

        @Test
        void isAskedFirst() {
            FaultClassifier custom = failure -> failure instanceof ConnectException ? PERMANENT : UNKNOWN;

            assertThat(classify(custom, new ConnectException())).isEqualTo(PERMANENT);
        }

        @Test
        void goesBeforeTheMarkerAndBeforeTheHttpStatus() {
            FaultClassification faults = new FaultClassification(
                    failure -> PERMANENT, List.of(), List.of(failure -> new HttpFailure(503, null)));

            assertThat(faults.classify(new Overloaded(), FaultClassification.TRANSIENT_STATUSES))
                    .isEqualTo(PERMANENT);
        }

        @Test
        void leavesWhatItDoesNotKnowToTheLibrary() {
            assertThat(classify(KNOWS_NOTHING, new ConnectException())).isEqualTo(TRANSIENT);
        }

        @Test
        void isAskedAboutEachCauseOutermostFirst() {
            List<String> asked = new ArrayList<>();
            FaultClassifier custom = failure -> {
                asked.add(String.valueOf(failure.getMessage()));
                return UNKNOWN;
            };

            classify(custom, new Exception("a", new Exception("b", new Exception("c"))));

            assertThat(asked).containsExactly("a", "b", "c");
        }

        @Test
        @SuppressWarnings("NullAway") // what an implementation without null checks may return
        void thatAnswersNullKnowsNothing() {
            assertThat(classify(failure -> null, new ConnectException())).isEqualTo(TRANSIENT);
            assertThat(classify(failure -> null, new Exception())).isEqualTo(UNKNOWN);
        }

        @Test
        void thatThrowsKnowsNothingAndIsReportedOnce() {
            IllegalStateException broken = new IllegalStateException("broken");
            FaultClassification faults = new FaultClassification(
                    failure -> {
                        throw broken;
                    },
                    List.of(),
                    List.of());
            try (CapturedLog log = CapturedLog.of(FaultClassification.class)) {
                assertThat(faults.classify(new ConnectException(), FaultClassification.TRANSIENT_STATUSES))
                        .isEqualTo(TRANSIENT);
                assertThat(faults.classify(wrapped(new Exception()), FaultClassification.TRANSIENT_STATUSES))
                        .isEqualTo(UNKNOWN);

                ILoggingEvent warning = log.single();
                assertThat(warning.getLevel()).isEqualTo(Level.WARN);
                assertThat(warning.getFormattedMessage())
                        .contains(FaultClassificationTests.class.getName(), "ConnectException", "Logged once");
                assertThat(warning.getThrowableProxy().getMessage()).isEqualTo("broken");
                assertThat(CapturedLog.pairsOf(warning))
                        .containsEntry("event", "callback_failed")
                        .containsKey("callback");
            }
        }
    }

    @Test
    void aClassifierThatThrowsACheckedExceptionKnowsNothingEither() {
        FaultClassifier custom = failure -> Sneaky.sneak(new IOException()) ? TRANSIENT : PERMANENT;
        try (CapturedLog log = CapturedLog.of(FaultClassification.class)) {
            assertThat(classify(custom, new ConnectException())).isEqualTo(TRANSIENT);

            assertThat(log.events()).hasSize(1);
        }
    }

    @Nested
    class KnowledgeOfFurtherLibraries {

        @Test
        void isAskedBeforeTheKnowledgeOfTheJdk() {
            FaultClassifier silent = failure -> UNKNOWN;
            FaultClassifier grpc = failure -> failure instanceof ConnectException ? PERMANENT : UNKNOWN;
            FaultClassification faults = new FaultClassification(KNOWS_NOTHING, List.of(silent, grpc), List.of());

            assertThat(faults.classify(new ConnectException(), FaultClassification.TRANSIENT_STATUSES))
                    .isEqualTo(PERMANENT);
        }

        @Test
        void thatThrowsIsTakenAsNoneAndReportedOnce() {
            FaultClassifier broken = failure -> {
                throw new NoClassDefFoundError("another version of the library");
            };
            HttpFailure.Reader brokenReader = failure -> {
                throw new IllegalStateException("no answer");
            };
            FaultClassification faults = new FaultClassification(KNOWS_NOTHING, List.of(broken), List.of(brokenReader));
            try (CapturedLog log = CapturedLog.of(FaultClassification.class)) {
                for (int i = 0; i < 3; i++) {
                    assertThat(faults.classify(new ConnectException(), FaultClassification.TRANSIENT_STATUSES))
                            .isEqualTo(TRANSIENT);
                    assertThat(faults.httpFailure(new ConnectException())).isNull();
                }

                assertThat(log.events()).as("once for each").hasSize(2);
            }
        }

        @Test
        void isAskedBeforeTheHttpStatus() {
            FaultClassification faults = new FaultClassification(
                    KNOWS_NOTHING, List.of(f -> TRANSIENT), List.of(f -> new HttpFailure(400, null)));

            assertThat(faults.classify(new Exception(), FaultClassification.TRANSIENT_STATUSES))
                    .isEqualTo(TRANSIENT);
        }

        @Test
        void isAskedInOrder() {
            FaultClassification faults =
                    new FaultClassification(KNOWS_NOTHING, List.of(f -> TRANSIENT, f -> PERMANENT), List.of());

            assertThat(faults.classify(new Exception(), FaultClassification.TRANSIENT_STATUSES))
                    .isEqualTo(TRANSIENT);
        }
    }

    @Nested
    class AnError {

        @Test
        void isPermanentWhateverItsCause() {
            assertThat(ofJdk(new AssertionError(new ConnectException()))).isEqualTo(PERMANENT);
        }

        @Test
        void isPermanentWhereverItIsWrapped() {
            assertThat(ofJdk(new ExecutionException(new AssertionError(new ConnectException()))))
                    .isEqualTo(PERMANENT);
        }

        @Test
        void isNotSeenBehindWhatIsTransientItself() {
            assertThat(ofJdk(new ConnectException().initCause(new OutOfMemoryError())))
                    .isEqualTo(TRANSIENT);
        }

        @Test
        void isTransientWhereTheApplicationItselfMarksItSo() {
            class WarmingUp extends Error implements TransientFault {}

            assertThat(ofJdk(new WarmingUp())).isEqualTo(TRANSIENT);
        }

        @Test
        void isTransientWhereTheApplicationsClassifierSaysSo() {
            FaultClassifier custom = failure -> failure instanceof StackOverflowError ? TRANSIENT : UNKNOWN;

            assertThat(classify(custom, new StackOverflowError())).isEqualTo(TRANSIENT);
            assertThat(classify(custom, new OutOfMemoryError())).isEqualTo(PERMANENT);
        }
    }

    private static Fault ofJdk(Throwable failure) {
        return FaultClassification.ofJdk().classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }

    private static Fault classify(FaultClassifier custom, Throwable failure) {
        return new FaultClassification(custom, List.of(), List.of())
                .classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }

    private static Exception wrapped(Throwable cause) {
        return new Exception("wrapper", cause);
    }

    private static final class Overloaded extends Exception implements TransientFault {}
}
