package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.fault.RetryAfter;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTests {

    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    @Nested
    class Seconds {

        @ParameterizedTest
        @CsvSource({"0, 0", "1, 1", "120, 120", "007, 7", "' 30 ', 30", "86400, 86400"})
        void areDigits(String header, long seconds) {
            assertThat(parse(header)).isEqualTo(Duration.ofSeconds(seconds));
        }

        @ParameterizedTest
        @ValueSource(strings = {"9223372036854775807", "9223372036854775808", "99999999999999999999999999999999"})
        void beyondAllBoundsAreAsLongAsCanBeAddedTo(String header) {
            assertThat(parse(header)).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
        }
    }

    @Nested
    class Dates {

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "Sun, 30 Feb 2027 00:00:00 GMT",
                    "Fri, 20 Nov 2026 24:00:00 GMT",
                    "Fri, 20 Nov 2026 10:60:00 GMT",
                    "Thu, 31 Dec 2026 23:59:60 GMT",
                    "Thu, 20 Nov 2026 10:01:30 GMT",
                    "Sat, 01 Jan +12000 00:00:00 GMT",
                    "Fri, 20 Nov 26 10:01:30 GMT",
                    "Fri, 20 Nov 2026 10:01:30 +0000",
                    "Fri, 20 Nov 2026 10:01:30 CET"
                })
        void thatDoNotExistAreNone(String header) {
            assertThat(parse(header)).isNull();
        }

        @Test
        void comeInThreeForms() {
            Duration expected = Duration.ofSeconds(90);

            assertThat(parse("Fri, 20 Nov 2026 10:01:30 GMT")).isEqualTo(expected);
            assertThat(parse("Friday, 20-Nov-26 10:01:30 GMT")).isEqualTo(expected);
            assertThat(parse("Fri Nov 20 10:01:30 2026")).isEqualTo(expected);
        }

        @Test
        void mayHaveADayOfOneDigitInTheFormOfAsctime() {
            assertThat(RetryAfter.parse("Sun Nov  6 08:49:37 1994", Instant.parse("1994-11-06T08:49:00Z")))
                    .isEqualTo(Duration.ofSeconds(37));
        }

        @Test
        void thatHavePassedAreNoWait() {
            assertThat(parse("Sun, 06 Nov 1994 08:49:37 GMT")).isZero();
            assertThat(parse("Sun, 6 Nov 1994 08:49:37 GMT")).as("of RFC 1123").isZero();
            assertThat(parse("Sunday, 06-Nov-94 08:49:37 GMT")).isZero();
            assertThat(parse("Sun Nov  6 08:49:37 1994")).isZero();
            assertThat(parse("Fri, 20 Nov 2026 10:00:00 GMT")).isZero();
        }

        @Test
        void ofTwoDigitYearsLieAtMostFiftyYearsAhead() {
            assertThat(parse("Friday, 20-Nov-76 10:00:00 GMT"))
                    .isEqualTo(Duration.between(NOW, Instant.parse("2076-11-20T10:00:00Z")));
            assertThat(parse("Sunday, 20-Nov-77 10:00:00 GMT")).as("1977").isZero();
        }

        @Test
        void areComparedWithNowToTheNanosecond() {
            assertThat(RetryAfter.parse("Fri, 20 Nov 2026 10:00:01 GMT", NOW.plusMillis(400)))
                    .isEqualTo(Duration.ofMillis(600));
        }

        @Test
        void ofEveryMomentAreRead() {
            SplittableRandom random = new SplittableRandom(7);
            Locale before = Locale.getDefault();
            try {
                Locale.setDefault(Locale.GERMANY); // the header is English wherever the server stands
                for (int i = 0; i < 2_000; i++) {
                    Duration ahead = Duration.ofSeconds(
                            random.nextLong(Duration.ofDays(40 * 365).toSeconds()));
                    Instant then = NOW.plus(ahead).truncatedTo(ChronoUnit.SECONDS);
                    for (String form : new String[] {
                        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM ppd HH:mm:ss yyyy"
                    }) {
                        String header = DateTimeFormatter.ofPattern(form, Locale.US)
                                .withZone(ZoneOffset.UTC)
                                .format(then);
                        assertThat(parse(header)).as(header).isEqualTo(ahead);
                    }
                }
            } finally {
                Locale.setDefault(before);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "soon",
                "-1",
                "+1",
                "1.5",
                "1,5",
                "1e3",
                "0x10",
                "1 s",
                "10 20",
                "PT30S",
                "NaN",
                "\u0661\u0662",
                "\uff11",
                "2026-11-20T10:01:30Z",
                "Fri, 20 Nov 2026 10:01:30 CET",
                "Fri, 20 Nov 2026 10:01:30 +0100",
                "Fri, 20 Nov 2026 10:01:30",
                "Mon, 20 Nov 2026 10:01:30 GMT",
                "Fri, 32 Nov 2026 10:01:30 GMT",
                "Fri, 20 Foo 2026 10:01:30 GMT",
                "Fri, 20 Nov 2026 25:01:30 GMT",
                "Fr, 20 Nov 2026 10:01:30 GMT",
                "20 Nov 2026 10:01:30 GMT",
                "Fri, 20 Nov 2026 10:01:30 GMT; and more"
            })
    void everythingElseIsNotValid(String header) {
        assertThat(parse(header)).isNull();
    }

    @Test
    void noGarbageMakesItThrow() {
        SplittableRandom random = new SplittableRandom(11);
        String alphabet = "0123456789 ,:-+.FriNovGMT\t\u00e4\u0661";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder header = new StringBuilder();
            for (int length = random.nextInt(40); length > 0; length--) {
                header.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            Duration wait = parse(header.toString());
            assertThat(wait == null || !wait.isNegative()).as(header.toString()).isTrue();
        }
    }

    private static @Nullable Duration parse(String header) {
        return RetryAfter.parse(header, NOW);
    }
}
