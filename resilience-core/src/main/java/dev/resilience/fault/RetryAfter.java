package dev.resilience.fault;

import dev.resilience.time.Durations;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@code Retry-After} header of RFC 9110, section 10.2.3: digits are seconds, everything else must be an
 * HTTP-date in one of the three forms of section 5.6.7.
 */
public final class RetryAfter {

    private static final DateTimeFormatter IMF_FIXDATE = strict(new DateTimeFormatterBuilder()
            .appendPattern("EEE, d MMM ")
            .appendValue(ChronoField.YEAR, 4)
            .appendPattern(" HH:mm:ss 'GMT'"));

    private static final DateTimeFormatter ASCTIME = strict(new DateTimeFormatterBuilder()
            .appendPattern("EEE MMM ppd HH:mm:ss ")
            .appendValue(ChronoField.YEAR, 4));

    /** Longer than any caller waits, and short enough to be added to. */
    private static final Duration MAX = Duration.ofNanos(Long.MAX_VALUE);

    private RetryAfter() {}

    /**
     * The wait that the header asks for, at most 292 years; zero for a date that has passed; {@code null} for what is not
     * valid.
     *
     * @param now what the date is compared with
     */
    public static @Nullable Duration parse(String header, Instant now) {
        String value = header.strip();
        if (!value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return seconds(value);
        }
        for (DateTimeFormatter format : List.of(IMF_FIXDATE, rfc850(now), ASCTIME)) {
            try {
                Duration wait = Duration.between(now, format.parse(value, Instant::from));
                return wait.isNegative() ? Duration.ZERO : wait;
            } catch (DateTimeException notThisForm) {
                // the next one may fit
            }
        }
        return null;
    }

    private static Duration seconds(String digits) {
        try {
            return Durations.min(MAX, Duration.ofSeconds(Long.parseLong(digits)));
        } catch (NumberFormatException beyondLong) {
            return MAX;
        }
    }

    /** Two-digit years: one that seems to be over 50 years ahead belongs to the century before (RFC 9110, 5.6.7). */
    private static DateTimeFormatter rfc850(Instant now) {
        int thisYear = now.atZone(ZoneOffset.UTC).getYear();
        return strict(new DateTimeFormatterBuilder()
                .appendPattern("EEEE, dd-MMM-")
                .appendValueReduced(ChronoField.YEAR, 2, 2, thisYear - 49)
                .appendPattern(" HH:mm:ss 'GMT'"));
    }

    /** No 30th of February, and no day of the week that it was not. */
    private static DateTimeFormatter strict(DateTimeFormatterBuilder format) {
        return format.toFormatter(Locale.US).withZone(ZoneOffset.UTC).withResolverStyle(ResolverStyle.STRICT);
    }
}
