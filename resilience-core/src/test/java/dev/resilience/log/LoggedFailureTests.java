package dev.resilience.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;

class LoggedFailureTests {

    @Test
    void aMessageOfSeveralLinesIsOneLine() {
        LoggedFailure failure = LoggedFailure.of(new IOException("no\r\nWARN forged\u2028\u0085\u001b[31mline\t!"));

        assertThat(failure.message()).isEqualTo("no WARN forged [31mline !");
        assertThat(failure).hasToString("java.io.IOException: no WARN forged [31mline !");
    }

    @Test
    void aLongMessageIsCutOff() {
        assertThat(LoggedFailure.of(new IOException("x".repeat(200))).message()).isEqualTo("x".repeat(200));
        assertThat(LoggedFailure.of(new IOException("x".repeat(201))).message()).isEqualTo("x".repeat(199) + "…");
    }

    @Test
    void aMessageIsNotCutInTheMiddleOfACharacter() {
        assertThat(LoggedFailure.of(new IOException("x".repeat(198) + "😀!")).message())
                .isEqualTo("x".repeat(198) + "…");
    }

    @Test
    void aWrapperIsReportedWithItsRootCause() {
        Exception refused = new ConnectException("Connection refused");
        Exception wrapper = new IllegalStateException("I/O error: null", new IOException("null", refused));

        assertThat(LoggedFailure.of(wrapper))
                .hasToString("java.lang.IllegalStateException: I/O error: null, caused by "
                        + "java.net.ConnectException: Connection refused");
        assertThat(LoggedFailure.of(wrapper).rootCause())
                .isEqualTo(new LoggedFailure("java.net.ConnectException", "Connection refused", null));
    }

    @Test
    void causesThatAreACircleHaveAnEnd() {
        Exception inner = new IOException("inner");
        Exception outer = new IOException("outer", inner);
        inner.initCause(outer);

        assertThat(LoggedFailure.of(outer)).hasToString("java.io.IOException: outer");
    }

    @Test
    void aFailureThatDoesNotTellItsCauseIsReportedAllTheSame() {
        assertThat(LoggedFailure.of(new IOException("broken") {
                    @Override
                    public synchronized Throwable getCause() {
                        throw new IllegalStateException();
                    }
                }))
                .satisfies(failure -> assertThat(failure.message()).isEqualTo("broken"))
                .satisfies(failure -> assertThat(failure.rootCause()).isNull());
    }
}
