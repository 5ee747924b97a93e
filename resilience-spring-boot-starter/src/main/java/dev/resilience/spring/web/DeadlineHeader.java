package dev.resilience.spring.web;

import dev.resilience.context.Deadline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The header by which services tell each other how much time is left, in whole milliseconds. A bean of this type can be
 * injected where an application makes requests itself:
 *
 * <pre>{@code
 * Deadline deadline = Deadline.current();
 * if (deadline != null) {
 *     request.header(deadlineHeader.name(), deadlineHeader.value(deadline));
 * }
 * }</pre>
 *
 * @param name the header's name, {@code resilience.deadline.header}; default {@code X-Request-Deadline-Ms}
 * @param margin what a callee gets less than is left here, so that its answer comes in time; {@code
 *     resilience.deadline.margin}, default 100 ms
 */
public record DeadlineHeader(String name, Duration margin) {

    /** Who writes more than this means something else. */
    private static final Duration LONGEST = Duration.ofDays(365);

    /** What to tell a callee; 0 if no time is left for it. */
    public String value(Deadline deadline) {
        return String.valueOf(deadline.leftAfter(margin).toMillis());
    }

    /**
     * The time that is left according to a header that came in.
     *
     * @return {@code null} if the value is anything but a non-negative integer, or longer than a year
     */
    static @Nullable Duration parse(String value) {
        long millis = number(value);
        return millis < 0 || millis > LONGEST.toMillis() ? null : Duration.ofMillis(millis);
    }

    /** A non-negative integer, with blanks around it or not, or the largest {@code long} if it is larger; -1 for everything else. */
    static long number(String value) {
        String digits = value.strip();
        if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException tooLarge) {
            return Long.MAX_VALUE;
        }
    }
}
