package dev.resilience.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ManualTimeSourceTests {

    private static final Duration CENTURIES = Duration.ofDays(365_000);

    private final ManualTimeSource time = new ManualTimeSource();

    @Test
    void timeStandsStillUntilToldToPass() {
        assertThat(time.elapsed()).isZero();
        assertThat(time.nanoTime()).isEqualTo(time.nanoTime());

        time.advance(Duration.ofMinutes(5));

        assertThat(time.elapsed()).isEqualTo(Duration.ofMinutes(5));
        assertThat(time.nanoTime()).isEqualTo(Duration.ofMinutes(5).toNanos());
    }

    @Test
    void timeDoesNotRunBackwards() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.advance(Duration.ofSeconds(-1)))
                .withMessageContaining("PT-1S");
    }

    @Test
    void timeThatNobodyCanCountStopsAtItsEnd() {
        time.advance(CENTURIES);
        time.advance(CENTURIES);

        assertThat(time.nanoTime()).isEqualTo(Long.MAX_VALUE);
    }

    @Nested
    class WallClock {

        @Test
        void startsWhereItIsTold() {
            Instant start = Instant.parse("2030-05-01T12:00:00Z");

            assertThat(new ManualTimeSource(start).now()).isEqualTo(start);
            assertThat(time.now()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
        }

        @Test
        void goesOnAsTimePasses() {
            time.advance(Duration.ofHours(1));

            assertThat(time.now()).isEqualTo(Instant.parse("2026-01-01T01:00:00Z"));
        }

        @Test
        void canBeShiftedInBothDirectionsWhileMeasuredTimeStays() {
            time.advance(Duration.ofHours(1));

            time.shiftWallClock(Duration.ofDays(1));
            assertThat(time.now()).isEqualTo(Instant.parse("2026-01-02T01:00:00Z"));
            time.shiftWallClock(Duration.ofDays(-2));
            assertThat(time.now()).isEqualTo(Instant.parse("2025-12-31T01:00:00Z"));

            assertThat(time.elapsed()).isEqualTo(Duration.ofHours(1));
        }
    }

    @Nested
    class Sleep {

        @Test
        void movesTheTimeAtOnce() {
            sleep(Duration.ofDays(1));

            assertThat(time.elapsed()).isEqualTo(Duration.ofDays(1));
        }

        @Test
        void ofZeroOrLessChangesNothing() {
            sleep(Duration.ZERO);
            sleep(Duration.ofSeconds(-1));

            assertThat(time.elapsed()).isZero();
        }

        @Test
        void isRefusedToAnInterruptedThread() {
            Thread.currentThread().interrupt();

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> time.sleep(Duration.ofSeconds(1)));

            assertThat(Thread.interrupted())
                    .as("the flag is taken, as by Thread.sleep")
                    .isFalse();
            assertThat(time.elapsed()).isZero();
        }
    }

    private void sleep(Duration duration) {
        try {
            time.sleep(duration);
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
