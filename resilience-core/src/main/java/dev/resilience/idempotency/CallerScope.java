package dev.resilience.idempotency;

/**
 * Tells who is calling, so that one caller never sees another's result. A bean of this type replaces the default, the
 * authenticated principal.
 */
@FunctionalInterface
public interface CallerScope {

    /** A name that is the caller's alone and stays the same over time; empty for all who are not known. */
    String caller();
}
