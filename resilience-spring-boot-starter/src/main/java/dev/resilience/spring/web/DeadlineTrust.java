package dev.resilience.spring.web;

import java.time.Duration;

/**
 * How far the deadlines of requests are believed.
 *
 * @param fromRequests whether at all; {@code resilience.deadline.from-requests}, default true
 * @param minimum how much time a request has at the least that says it has some; {@code resilience.deadline.minimum},
 *     default zero
 */
public record DeadlineTrust(boolean fromRequests, Duration minimum) {

    /** Every deadline holds as it stands. */
    static final DeadlineTrust FULL = new DeadlineTrust(true, Duration.ZERO);

    /** The time that is granted to a request which says that so much is left. */
    Duration granted(Duration left) {
        return left.isZero() || left.compareTo(minimum) >= 0 ? left : minimum;
    }
}
