package dev.resilience.simulation;

import java.util.List;

/**
 * Means over a hundred runs of Brooker's own simulator, for fifty and for a hundred clients.
 *
 * @param millis until the last client had written
 */
record Published(int clients, Strategy strategy, int writes, int millis) {

    static final List<Published> FIGURES = List.of(
            new Published(50, Strategy.NONE, 691, 1_141),
            new Published(50, Strategy.EXPONENTIAL, 624, 36_362),
            new Published(50, Strategy.EQUAL, 347, 4_258),
            new Published(50, Strategy.FULL, 334, 2_883),
            new Published(50, Strategy.DECORRELATED, 375, 2_117),
            new Published(100, Strategy.NONE, 2_428, 2_034),
            new Published(100, Strategy.EXPONENTIAL, 1_850, 63_066),
            new Published(100, Strategy.EQUAL, 811, 6_596),
            new Published(100, Strategy.FULL, 797, 4_873),
            new Published(100, Strategy.DECORRELATED, 1_004, 4_770));
}
