package dev.resilience.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimestampsTests {

    @ParameterizedTest
    @CsvSource({
        "2026-01-01T00:00:00Z, 2026-01-01T00:00:00.000Z",
        "2026-01-01T00:00:00.5Z, 2026-01-01T00:00:00.500Z",
        "2026-01-01T00:00:00.123999999Z, 2026-01-01T00:00:00.123Z",
        "1969-12-31T23:59:59.999999Z, 1969-12-31T23:59:59.999Z"
    })
    void aTextHasAlwaysThreeDigitsAfterTheSecond(Instant instant, String text) {
        assertThat(Timestamps.text(instant)).isEqualTo(text);
    }

    @Test
    void textsSortAsTheInstantsDo() {
        Random random = new Random(13);
        List<Instant> instants = Stream.generate(() -> Instant.ofEpochMilli(1_700_000_000_000L + random.nextInt(5_000)))
                .limit(1_000)
                .sorted()
                .toList();

        assertThat(instants.stream().map(Timestamps::text)).isSorted();
    }

    @Test
    void aTextIsReadBackAsTheSameInstant() {
        Instant instant = Instant.parse("2026-01-01T10:00:00.120Z");

        assertThat(Instant.parse(Timestamps.text(instant))).isEqualTo(instant);
    }
}
