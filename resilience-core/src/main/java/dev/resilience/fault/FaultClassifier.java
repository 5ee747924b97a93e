package dev.resilience.fault;

/**
 * Tells what kind of fault an exception is. A bean of this type is asked before the library's own knowledge.
 *
 * <p>Its answer is final, for an {@link Error} as well: what the application says of its own exceptions goes before what
 * the library says of all.
 *
 * <p>Implementations look at the given exception alone: the library asks again for each of its causes, outermost first,
 * until the answer is not {@link Fault#UNKNOWN}. They must be safe for use by many threads. A classifier that throws is
 * taken to have answered {@code UNKNOWN}, and the first such failure is logged.
 */
@FunctionalInterface
public interface FaultClassifier {

    Fault classify(Throwable failure);
}
