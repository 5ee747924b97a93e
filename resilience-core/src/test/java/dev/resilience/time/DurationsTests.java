package dev.resilience.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

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
}
