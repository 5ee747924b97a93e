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

    private static final int MOST_DIGITS = 18;

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
        String digits = digits(value);
        if (digits == null || digits.length() > MOST_DIGITS) {
            return null;
        }
        Duration left = Duration.ofMillis(Long.parseLong(digits));
        return left.compareTo(LONGEST) > 0 ? null : left;
    }

    /** A non-negative integer without leading zeros and blanks around it; {@code null} for everything else. */
    static @Nullable String digits(String value) {
        String digits = value.strip();
        boolean isNumber = !digits.isEmpty() && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? digits.replaceFirst("^0+(?=.)", "") : null;
    }
}
