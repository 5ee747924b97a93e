package dev.resilience.bulkhead;

/**
 * How the limit of an adaptive bulkhead moves: one step for each window of calls that {@link AdaptiveLimit} has measured.
 *
 * <p>By Little's law, a callee that can do {@code c} calls at once makes {@code n > c} calls last {@code n / c} times as long
 * as it needs for one, and fewer no longer. So the limit is right where calls begin to last longer than they do at half of it.
 * Half of it is therefore tried, for one window in {@value #PERIOD} while the limit is reached: that gives {@code base}. No
 * baseline is kept that overload could raise, which is what makes other limits drift upwards. From window to window
 *
 * <pre>{@code limit += (limit · base / latency - limit + headroom) / 2}</pre>
 *
 * The headroom is a tenth of the limit and what chance adds to a mean of so many samples; below the callee's capacity it lets
 * the limit grow. If latency leaves what a stale base explains, a new one is taken at once. The latency is a geometric mean.
 * Compare Vegas (Brakmo, Peterson 1995) and BBR (Cardwell et al. 2016), which drains the queue to measure as well.
 *
 * <p>A window in which most calls failed slowly, or hang, takes three tenths off the limit. Such a phase says nothing about
 * the callee's capacity, so afterwards the limit doubles from window to window until it is back or latency rises.
 *
 * <p>A limit that calls do not reach is left alone. Immutable.
 *
 * @param limit what is looked for
 * @param floor where it ends up at the lowest while the base is not a fresh one
 * @param restoreTo up to where the limit doubles; at the beginning the maximum
 * @param base logarithm of the latency without a queue, NaN before it is measured
 * @param top the same at the full limit, when the base was last to be measured
 * @param age windows since the base was measured
 * @param untilProbe windows until it is measured again
 * @param probes whether it is measured now, at half of the limit
 */
record LimitSearch(
        int min,
        int max,
        double limit,
        double floor,
        double restoreTo,
        double base,
        double top,
        int age,
        int untilProbe,
        boolean probes) {

    /** What a window has measured: calls that returned, the mean logarithm of their durations, slow failures. */
    record Measured(long returned, double mean, long failed, boolean isReached, boolean isSaturated, boolean hangs) {}

    private static final int INITIAL = 20;
    private static final int PERIOD = 30;
    private static final int SAMPLES = 100;
    private static final int TURNS = 4; // of all permits in a window, so that slow calls end in it too
    private static final double FIRST_PATIENCE = 30e9; // nanoseconds, before a call was measured
    private static final double MIN_PATIENCE = 100e6; // a pause of the JVM is shorter
    private static final int TURNS_OF_PATIENCE = 40;
    private static final double TWICE = Math.log(2);
    private static final double MUCH = 0.35; // more than chance does to the logarithm of a latency

    /** Starts at 20, or what is nearest to it. */
    static LimitSearch between(int min, int max) {
        int initial = Math.max(min, Math.min(max, INITIAL));
        return new LimitSearch(min, max, initial, min, max, Double.NaN, Double.NaN, 0, PERIOD, false);
    }

    /** What is known, within other bounds. */
    LimitSearch within(int least, int most) {
        double inside = Math.max(least, Math.min(most, limit));
        return new LimitSearch(least, most, inside, least, restoreTo, base, top, age, untilProbe, false);
    }

    boolean isWithin(int least, int most) {
        return least == min && most == max;
    }

    int inForce() {
        long whole = Math.round(limit);
        return (int) (probes ? Math.max(min, (whole + 1) / 2) : whole);
    }

    /** How many calls must end before the window can. */
    long needed() {
        int least = isRestoring() && !probes ? SAMPLES / 8 : probes && !Double.isNaN(base) ? 2 * SAMPLES : SAMPLES;
        return Math.min(1_000_000, Math.max(least, (long) TURNS * inForce()));
    }

    /** Nanoseconds in which some calls end, unless they hang. */
    double patience() {
        double known = Double.isNaN(base) ? top : base;
        return Double.isNaN(known) ? FIRST_PATIENCE : Math.max(MIN_PATIENCE, TURNS_OF_PATIENCE * Math.exp(known));
    }

    /**
     * Whether calls hang; never at the minimum, where it would change nothing.
     *
     * @param ended how many have ended in the time of {@link #patience()}, and {@code inWindow} in the whole window
     */
    boolean hang(long ended, long inWindow) {
        return inForce() > min && (Double.isNaN(base) ? inWindow == 0 : ended < inForce());
    }

    /** Whether a failure after this time says that the callee has too much to do; none does before there is a base. */
    boolean isSlow(double duration) {
        return duration >= base + TWICE;
    }

    private boolean isRestoring() {
        return limit < restoreTo;
    }

    LimitSearch next(Measured window) {
        boolean hasFailed = window.failed > window.returned;
        if (window.hangs || (hasFailed && window.isSaturated)) {
            double before = isRestoring() ? restoreTo : limit;
            return with(limit * 0.7, min, before, base, age, untilProbe);
        }
        return hasFailed ? with(limit, floor, restoreTo, base, age, untilProbe) : move(window);
    }

    private LimitSearch move(Measured window) {
        double mean = window.mean;
        if (probes) { // if it was much faster, the base may be above what it is without a queue, too
            int next = mean < top - MUCH ? 3 : PERIOD;
            return with(limit, limit * 0.8, restoreTo, learnt(mean), 0, next);
        }
        if (!window.isReached || (Double.isNaN(base) && !window.isSaturated)) {
            double lower = Double.isNaN(base) ? mean : mean < base - MUCH / 2 ? toward(base, mean) : base;
            return with(limit, floor, restoreTo, lower, age + 1, untilProbe);
        }
        double known = base;
        if (inForce() == min) { // less cannot be tried
            known = Double.isNaN(base) ? mean : window.returned < SAMPLES ? base : learnt(mean);
        } else if (Double.isNaN(base)
                || (window.isSaturated && !isRestoring() && (untilProbe <= 0 || (age > 2 && isOdd(mean))))) {
            return new LimitSearch(min, max, limit, floor, restoreTo, base, mean, age, PERIOD, true);
        }
        double ratio = Math.min(1, Math.exp(known - mean));
        double root = Math.sqrt((double) window.returned); // the error of a mean falls with it
        if (isRestoring() && mean - known < 0.2 + 1.8 / root) {
            double more = window.isSaturated ? limit * 2 : limit + 1;
            return with(Math.min(more, restoreTo), floor, restoreTo, known, age + 1, untilProbe);
        }
        double headroom = Math.max(1, Math.min(0.25, 0.1 + 1.2 / root) * limit);
        double change = limit * (Math.max(0.6, ratio) - 1) + headroom;
        if (!window.isSaturated) {
            change = Math.max(0, change);
        }
        boolean isQueue = ratio < 0.5; // by a fresh base
        double moved = isQueue ? limit + change : Math.max(floor, limit + change / 2);
        int next = isQueue ? Math.min(2, untilProbe - 1) : untilProbe - 1;
        double restored = limit * 4 < restoreTo && window.returned < SAMPLES ? restoreTo / 2 : 0; // few may be wrong
        return with(moved, isQueue ? moved * 0.8 : floor, restored, known, age + 1, next);
    }

    /** Whether the base cannot explain it. */
    private boolean isOdd(double mean) {
        return mean > base + TWICE || mean < base - MUCH;
    }

    private double learnt(double mean) {
        return Double.isNaN(base) || Math.abs(mean - base) > MUCH ? mean : toward(base, mean);
    }

    private static double toward(double before, double now) {
        return before + 0.3 * (now - before);
    }

    /** At the full limit. */
    private LimitSearch with(double to, double least, double restored, double known, int aged, int next) {
        double inside = Math.max(min, Math.min(max, to));
        return new LimitSearch(min, max, inside, least, restored, known, top, aged, next, false);
    }
}
