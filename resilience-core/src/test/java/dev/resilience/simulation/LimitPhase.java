package dev.resilience.simulation;

/**
 * A time in which load and callee stay as they are.
 *
 * @param servers how many calls the callee works at at once
 * @param slowdown how many times as long as usual it works at each
 * @param hangs whether it does not answer any call of this phase
 */
record LimitPhase(String title, int seconds, double callsPerSecond, int servers, double slowdown, boolean hangs) {

    LimitPhase(String title, int seconds, double callsPerSecond, int servers) {
        this(title, seconds, callsPerSecond, servers, 1, false);
    }
}
