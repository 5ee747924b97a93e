package dev.resilience.concurrency;

import java.util.Random;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/**
 * The seeds of random histories that are held against a reference model: 1,000, and 100,000 with {@code -Plong}. A failure
 * names its seed, and {@code -Dsimulation.seed=4711} repeats that one alone.
 */
public final class Seeds {

    /** As many as every build tries, and as planted defects are found within. */
    public static final int ORDINARILY = 1_000;

    private static final int AT_LENGTH = 100_000;

    private Seeds() {}

    /** The first numbers of a {@link Random} are much the same for all small seeds. */
    public static Random random(long seed) {
        return new Random(seed * 0x9E3779B97F4A7C15L);
    }

    /** Runs the history of each seed. */
    public static void check(LongConsumer history) {
        Long one = Long.getLong("simulation.seed");
        LongStream seeds =
                one == null ? LongStream.rangeClosed(1, Effort.of(ORDINARILY, AT_LENGTH)) : LongStream.of(one);
        seeds.forEach(seed -> {
            try {
                history.accept(seed);
            } catch (Throwable different) {
                throw new AssertionError("Seed " + seed + ", repeat it with -Dsimulation.seed=" + seed, different);
            }
        });
    }

    /** Whether one of the ordinary seeds leads to a failure. */
    public static boolean find(LongConsumer history) {
        return LongStream.rangeClosed(1, ORDINARILY).anyMatch(seed -> {
            try {
                history.accept(seed);
                return false;
            } catch (AssertionError found) {
                return true;
            }
        });
    }
}
