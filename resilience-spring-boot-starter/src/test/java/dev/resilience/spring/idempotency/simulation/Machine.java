package dev.resilience.spring.idempotency.simulation;

import java.time.Duration;
import java.time.Instant;

/**
 * Something that runs, stands still or dies as a whole, with clocks of its own: a monotonic one, which may stand still
 * while the machine does, and one on the wall, which jumps.
 */
final class Machine {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final Baton baton;
    private final String name;
    private long behind;
    private Duration wallShift = Duration.ZERO;
    private long standsStillUntil;
    private boolean crashed;

    Machine(Baton baton, String name) {
        this.baton = baton;
        this.name = name;
        this.behind = -Duration.ofSeconds(baton.choose(1000)).toNanos();
    }

    String name() {
        return name;
    }

    /** Monotonic. */
    long clock() {
        return baton.now() - behind;
    }

    Instant wallClock() {
        return START.plusNanos(clock()).plus(wallShift);
    }

    void jumpWallClock(Duration by) {
        wallShift = wallShift.plus(by);
    }

    long after(Duration delay) {
        return delay.isNegative() ? clock() : clock() + delay.toNanos();
    }

    /** True time of a moment of its clock; {@link Long#MAX_VALUE} if it will not see it. */
    long whenClockShows(long moment) {
        return crashed || moment == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(standsStillUntil, moment + behind);
    }

    boolean runs() {
        return !crashed && standsStillUntil <= baton.now();
    }

    boolean hasCrashed() {
        return crashed;
    }

    void crash() {
        crashed = true;
    }

    /**
     * Stands still, as in a long garbage collection or while its virtual machine is moved.
     *
     * @param clockToo whether its monotonic clock does not count the time either
     */
    void standStill(Duration pause, boolean clockToo) {
        standsStillUntil = baton.now() + pause.toNanos();
        if (clockToo) {
            behind += pause.toNanos();
        }
    }

    void wakeUp() {
        standsStillUntil = Math.min(standsStillUntil, baton.now());
    }
}
