package dev.resilience.idempotency;

/**
 * Tells who is calling, so that one caller never sees another's result. A bean of this type replaces the default: the
 * authenticated principal's name, and who vouches for it.
 *
 * <p>Asked once a call, on the thread that makes it, also where Spring's {@code @Async} moves it to another one. Where an
 * order of layers puts threads of this library outside idempotency, such as a bulkhead's pool, it is asked there: then a
 * {@link dev.resilience.context.ContextCarrier} takes along what it reads. Safe for use by many threads.
 */
@FunctionalInterface
public interface CallerScope {

    /**
     * A name that is the caller's alone and stays the same over time; empty for all who are not known. Users of several
     * issuers or tenants may have equal names: then the name here says whose they are.
     *
     * @throws RuntimeException if there is a caller that cannot be told from others; the call is not made then
     */
    String caller();
}
