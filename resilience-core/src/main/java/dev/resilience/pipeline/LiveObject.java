package dev.resilience.pipeline;

/**
 * What is made of one named policy and lives as long as the application: it counts the calls of all methods that name the
 * policy. Most are a {@link Layer} too. Safe for use by many threads.
 *
 * @param <P> what is configured of it
 */
public interface LiveObject<P extends Record> {

    /** The name of the policy. */
    String name();

    /** What is configured. */
    P policy();

    /**
     * Changes the policy while the application runs. It holds for calls that begin from now on; what is counted and the
     * state are kept as far as they can be. Safe for use by many threads.
     *
     * <p>In a Spring application, {@code ResilienceRegistry} does it with a line in the log and an event.
     *
     * @throws dev.resilience.policy.InvalidPolicyException if a value differs that cannot change while calls run
     * @throws UnsupportedOperationException if nothing of this kind can change, which is the default
     */
    default void reconfigure(P policy) {
        throw new UnsupportedOperationException("The policy '" + name()
                + "' cannot be changed while the application runs: "
                + getClass().getSimpleName() + " has no reconfigure(policy). Change the configuration and restart");
    }
}
