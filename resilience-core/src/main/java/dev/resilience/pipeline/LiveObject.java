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
}
