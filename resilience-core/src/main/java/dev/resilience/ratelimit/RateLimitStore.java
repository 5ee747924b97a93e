package dev.resilience.ratelimit;

import dev.resilience.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Counts the permits of limits that several processes share, by the generic cell rate algorithm on its own clock: what is stored of
 * a limit is the moment at which all its permits are back. Every method may block and may fail. Safe for use by many threads.
 */
public interface RateLimitStore {

    /**
     * Takes permits in one step: as many as are wanted and can be used within {@link Request#maxWait}, and if they can be used now,
     * {@link Request#ahead} more.
     */
    Answer take(Request request);

    /**
     * Notes that a process uses a limit.
     *
     * @return how many do, this one included: those noted in the last {@link #SEEN_FOR}
     */
    int nodes(String limit, String node);

    /** Makes sure that the store can be used. Called before anything else, again if it fails. */
    default void prepare() {}

    /** How long a process counts after it was noted. */
    Duration SEEN_FOR = Duration.ofSeconds(30);

    /**
     * What is asked of a store.
     *
     * @param limit the name of the policy
     * @param key whose limit it is; {@code null} where all calls share one
     * @param wanted how many calls wait for a permit
     * @param ahead how many more permits the process would like to have for calls to come
     * @param maxWait how long the last of the calls that wait would wait
     * @param debt permits that the process gave out while the store did not answer, and which a limit of its own would not have back
     *     yet: taken first, there or not
     */
    record Request(
            String limit,
            @Nullable String key,
            RateLimitPolicy policy,
            int wanted,
            int ahead,
            Duration maxWait,
            int debt) {

        /** The time in which one permit comes back, in microseconds. */
        public double interval() {
            return micros(policy.period()) / policy.permits();
        }

        /** The time in which all permits come back, in microseconds. */
        public long burst() {
            return (long) Math.ceil(interval() * policy.capacity() - 1e-6);
        }

        /** The longest time in microseconds until all permits are back; more is left of a clock that was set back. */
        public long longest() {
            return 2 * burst() + (long) micros(policy.maxWait());
        }

        /** {@link #maxWait} in microseconds. */
        public long maxWaitMicros() {
            return (long) micros(maxWait);
        }

        private static double micros(Duration duration) {
            return Durations.toNanos(duration) / 1e3;
        }
    }

    /**
     * What a store has answered.
     *
     * @param granted how many permits were taken
     * @param backlog how long it was before until all permits would have been back
     */
    record Answer(int granted, Duration backlog) {}
}
