package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.RetryPolicy;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The retry policies to start from. */
class RetryPresetTests {

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "interactive, 3, 100, 3_000, PROPORTIONAL, 0.2",
        "standard, 5, 1_000, 30_000, PROPORTIONAL, 0.3",
        "batch, 10, 5_000, 300_000, PROPORTIONAL, 0.5",
        "external-api, 4, 1_000, 30_000, FULL, 0.5",
        "database, 6, 500, 10_000, EQUAL, 0.5",
        "message-queue, 11, 1_000, 60_000, DECORRELATED, 0.5"
    })
    void areWhatTheDocumentationSays(
            String preset, int maxAttempts, String baseMillis, String maxMillis, Jitter jitter, double factor) {
        RetryPolicy expected = RetryPolicy.builder()
                .maxAttempts(maxAttempts)
                .backoff(new Backoff(
                        Backoff.Strategy.EXPONENTIAL, millis(baseMillis), 2.0, millis(maxMillis), jitter, factor))
                .build();
        assertThat(YamlApplication.registry(directory, "resilience.retry.payments.extends: " + preset)
                        .retries()
                        .get("payments")
                        .policy())
                .isEqualTo(expected);
    }

    @Test
    void areNoPoliciesOfTheirOwn() {
        assertThat(YamlApplication.registry(directory, "resilience.retry.payments.extends: batch")
                        .retries())
                .containsOnlyKeys("default", "payments");
    }

    private static Duration millis(String text) {
        return Duration.ofMillis(Long.parseLong(text.replace("_", "")));
    }
}
