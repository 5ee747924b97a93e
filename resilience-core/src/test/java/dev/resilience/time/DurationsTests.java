package dev.resilience.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationsTests {

    @Test
    void nanosecondsSaturateInsteadOfOverflowing() {
        assertThat(Durations.toNanos(Duration.ofSeconds(1))).isEqualTo(1_000_000_000);
        assertThat(Durations.toNanos(Duration.ofNanos(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
        assertThat(Durations.toNanos(Duration.ofNanos(Long.MAX_VALUE).plusNanos(1)))
                .isEqualTo(Long.MAX_VALUE);
        assertThat(Durations.toNanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aNegativeDurationIsNoTimeAtAll() {
        assertThat(Durations.toNanos(Duration.ZERO)).isZero();
        assertThat(Durations.toNanos(Duration.ofNanos(-1))).isZero();
        assertThat(Durations.toNanos(Duration.ofSeconds(Long.MIN_VALUE))).isZero();
    }

    @Test
    void theLongerAndTheShorterOfTwo() {
        Duration second = Duration.ofSeconds(1);
        Duration minute = Duration.ofMinutes(1);

        assertThat(Durations.max(second, minute)).isSameAs(minute);
        assertThat(Durations.max(minute, second)).isSameAs(minute);
        assertThat(Durations.min(second, minute)).isSameAs(second);
        assertThat(Durations.min(minute, second)).isSameAs(second);
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 ns",
        "PT0.000000001S, 1 ns",
        "PT0.25S, 250 ms",
        "PT0.5S, 0.5 s",
        "PT1S, 1 s",
        "PT4.2S, 4.2 s",
        "PT1.25S, 1.25 s",
        "PT1M30S, 90 s",
        "PT2M, 2 min",
        "PT4M12.9S, 4 min 12 s",
        "PT2H, 2 h",
        "PT26H30M, 26 h 30 min"
    })
    void inWordsAreForPeopleToRead(Duration duration, String words) {
        assertThat(Durations.inWords(duration)).isEqualTo(words);
    }
}
