package dev.resilience.ratelimit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Counts the permits of limits that several processes share, by the generic cell rate algorithm on its own clock: what is stored of
 * a limit is the moment at which all its permits are back. All times are in microseconds. Every method may block and may fail. Safe
 * for use by many threads.
 */
public interface RateLimitStore {

    /** How long a process counts after it was {@linkplain #nodes noted}. */
    Duration SEEN_FOR = Duration.ofSeconds(30);

    /** Which policies it is for. */
    RateLimitPolicy.Store type();

    /** Makes sure, at startup, that the store can be used. */
    default void prepare() {}

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

    /**
     * What is asked of a store.
     *
     * @param limit the name of the policy
     * @param key whose limit it is; {@code null} where all calls share one
     * @param interval the time in which one permit comes back
     * @param burst the time in which all do
     * @param longest the longest time until all are back; more of it is left of a clock that was set back
     * @param wanted how many calls wait for a permit
     * @param ahead how many more permits the process would like to have for calls to come
     * @param maxWait how long the calls would wait at the most
     * @param debt permits that the process gave out while the store did not answer: taken first, there or not
     */
    record Request(
            String limit,
            @Nullable String key,
            double interval,
            double burst,
            long longest,
            int wanted,
            int ahead,
            long maxWait,
            int debt) {}

    /**
     * What a store has answered.
     *
     * @param granted how many permits were taken
     * @param backlog how long it was before until all permits would have been back, with the debt
     */
    record Answer(int granted, long backlog) {}
}
