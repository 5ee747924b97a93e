package dev.resilience.circuitbreaker;

import org.jspecify.annotations.Nullable;

/**
 * What an admitted call holds and gives back exactly once, with how it ended. It belongs to the state instance that
 * admitted the call: a call let in while CLOSED can say nothing to the HALF_OPEN that came later.
 */
interface Permit {

    /** What the call is judged by: that of the state instance that admitted it. */
    Settings settings();

    /**
     * The call succeeded, and its result is none that counts as a failure.
     *
     * @param nanos how long it took; 0 where the policy has no use for it
     */
    void succeeded(long nanos);

    /**
     * The call failed in a way that counts.
     *
     * @param nanos how long it took; 0 where the policy has no use for it
     * @param failure what it threw; {@code null} if it is its result that counts as a failure
     */
    void failed(long nanos, @Nullable Throwable failure);

    /** The call says nothing about the callee. */
    void ignored();
}
