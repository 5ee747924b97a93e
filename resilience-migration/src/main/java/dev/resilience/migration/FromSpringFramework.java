package dev.resilience.migration;

/** Moves from Spring Framework 7: see docs/converter.md. */
public final class FromSpringFramework extends Migration {

    public FromSpringFramework() {
        super(Library.SPRING_FRAMEWORK);
    }
}
