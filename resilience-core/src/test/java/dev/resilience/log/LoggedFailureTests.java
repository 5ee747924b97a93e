package dev.resilience.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
        assertThat(LoggedFailure.of(new IOException("x".repeat(1_000))).message())
                .isEqualTo("x".repeat(1_000));
        assertThat(LoggedFailure.of(new IOException("x".repeat(1_001))).message())
                .isEqualTo("x".repeat(1_000) + "…");
    }
}
