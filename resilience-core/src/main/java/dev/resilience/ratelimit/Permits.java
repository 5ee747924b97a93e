package dev.resilience.ratelimit;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the permits of one limit, or of one key of it, come from. Safe for use by many threads; a class that takes them from
 * memory does so without a lock.
 */
public interface Permits {

    /** Where the permits of a policy come from. */
    @FunctionalInterface
    interface Source {

        /**
         * Permits by the policy of the moment. Asked once for each key, quickly.
         *
         * @param key whose permits they are; {@code null} where all calls share them
         */
        Permits permits(@Nullable String key, RateLimitPolicy policy);

        /** What the actuator shows of it, if it is not this process. */
        default Map<String, Object> view() {
            return Map.of();
        }
    }

    /** The answer where permits can be had by blocking alone, such as from a store, and the caller must not block. */
    long WOULD_BLOCK = Long.MIN_VALUE;

    /** The answer where the thread was interrupted while it asked. */
    long INTERRUPTED = Long.MIN_VALUE + 1;

    /** The answer where the deadline of the call came while it asked. */
    long LATE = Long.MIN_VALUE + 2;

    /** The answer where a store does not answer, without which there are no permits. */
    long NO_STORE = Long.MIN_VALUE + 3;

    /**
     * Takes a permit that can be used within a time, or none.
     *
     * @param maxWaitNanos how long the caller would wait for it; 0 for not at all
     * @param mayBlock whether the thread may block to ask for permits; if it may not, {@link #WOULD_BLOCK} is an answer
     * @return the nanoseconds to wait before the permit may be used, 0 for none. Below 0 no permit was taken, because it could not
     *     be used in time: minus the nanoseconds after which one may be there, or one of the answers above
     */
    long acquire(long maxWaitNanos, boolean mayBlock);

    /** Permits that could be taken now; NaN, the default, if that is not known. */
    default double available() {
        return Double.NaN;
    }

    /** Changes the rate while calls run, and returns what calls take permits from now on. What was taken stays taken, up to the new burst. */
    Permits reconfigure(RateLimitPolicy policy);
}
