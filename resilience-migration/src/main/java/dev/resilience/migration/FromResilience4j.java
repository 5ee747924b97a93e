package dev.resilience.migration;

/** Moves from Resilience4j: see docs/converter.md. */
public final class FromResilience4j extends Migration {

    public FromResilience4j() {
        super(Library.RESILIENCE4J);
    }
}
