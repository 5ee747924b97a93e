package dev.resilience.migration;

/** Moves from Spring Retry: see docs/converter.md. */
public final class FromSpringRetry extends Migration {

    public FromSpringRetry() {
        super(Library.SPRING_RETRY);
    }
}
