package dev.resilience.simulation;

import java.util.List;

/**
 * One dimension of a plot.
 *
 * @param logarithmic whether equal steps are equal factors; what lies below {@code from} is drawn at its edge
 */
record Axis(double from, double to, boolean logarithmic, List<Tick> ticks) {

    /** A labelled value. */
    record Tick(double value, String label) {}

    static Axis linear(double from, double to, Tick... ticks) {
        return new Axis(from, to, false, List.of(ticks));
    }

    static Axis logarithmic(double from, double to, Tick... ticks) {
        return new Axis(from, to, true, List.of(ticks));
    }

    static Tick tick(double value, String label) {
        return new Tick(value, label);
    }

    /** Where a value lies, from 0 to 1. */
    double share(double value) {
        double within = Math.min(to, Math.max(from, value));
        return logarithmic ? StrictMath.log(within / from) / StrictMath.log(to / from) : (within - from) / (to - from);
    }
}
