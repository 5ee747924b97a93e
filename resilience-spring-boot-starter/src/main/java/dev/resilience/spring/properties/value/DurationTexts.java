package dev.resilience.spring.properties.value;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Texts that are meant to be durations, and how they would have to be written. */
public final class DurationTexts {

    private static final Pattern PART = Pattern.compile("(\\d+(?:[.,]\\d+)?)\\s*(\\p{L}+)");

    /** Of a whole number, but zero. */
    private static final Pattern NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

    private static final Map<String, Duration> UNITS = Map.ofEntries(
            Map.entry("ns", Duration.ofNanos(1)),
            Map.entry("us", Duration.ofNanos(1_000)),
            Map.entry("ms", Duration.ofMillis(1)),
            Map.entry("msec", Duration.ofMillis(1)),
            Map.entry("milli", Duration.ofMillis(1)),
            Map.entry("millisecond", Duration.ofMillis(1)),
            Map.entry("s", Duration.ofSeconds(1)),
            Map.entry("sec", Duration.ofSeconds(1)),
            Map.entry("second", Duration.ofSeconds(1)),
            Map.entry("m", Duration.ofMinutes(1)),
            Map.entry("min", Duration.ofMinutes(1)),
            Map.entry("minute", Duration.ofMinutes(1)),
            Map.entry("h", Duration.ofHours(1)),
            Map.entry("hr", Duration.ofHours(1)),
            Map.entry("hour", Duration.ofHours(1)),
            Map.entry("d", Duration.ofDays(1)),
            Map.entry("day", Duration.ofDays(1)));

    private DurationTexts() {}

    /** Whether the text is a number without a unit; zero needs none. */
    public static boolean lacksUnit(String text) {
        return NUMBER.matcher(text.strip()).matches();
    }

    /** The text as Spring Boot reads it, or {@code null} if nothing tells what is meant. */
    static @Nullable String correct(String text) {
        String left = text.strip().toLowerCase(Locale.ROOT);
        Duration sum = Duration.ZERO;
        Matcher matcher = PART.matcher(left);
        while (matcher.lookingAt()) {
            Duration unit = unit(matcher.group(2));
            if (unit == null) {
                return null;
            }
            BigDecimal nanos =
                    new BigDecimal(matcher.group(1).replace(',', '.')).multiply(BigDecimal.valueOf(unit.toNanos()));
            sum = sum.plusNanos(nanos.longValue());
            left = left.substring(matcher.end()).strip();
            matcher = PART.matcher(left);
        }
        return !left.isEmpty() || sum.isZero() ? null : simple(sum);
    }

    private static @Nullable Duration unit(String word) {
        Duration unit = UNITS.get(word);
        return unit == null && word.endsWith("s") ? UNITS.get(word.substring(0, word.length() - 1)) : unit;
    }

    /** In the largest unit that has no fraction. */
    static String simple(Duration duration) {
        for (String unit : new String[] {"d", "h", "m", "s", "ms", "us", "ns"}) {
            long length = UNITS.getOrDefault(unit, Duration.ofNanos(1)).toNanos();
            if (duration.toNanos() % length == 0) {
                return duration.toNanos() / length + unit;
            }
        }
        return duration.toString();
    }
}
