package dev.resilience.circuitbreaker.window;

/** What a window of calls held at one moment. */
public record WindowCounts(long calls, long failures, long slowCalls) {

    public static final WindowCounts NONE = new WindowCounts(0, 0, 0);

    /** The share of failures, NaN if there is no call. */
    public double failureRate() {
        return calls == 0 ? Double.NaN : (double) failures / calls;
    }
}
