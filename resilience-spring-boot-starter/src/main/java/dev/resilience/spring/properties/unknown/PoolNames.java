package dev.resilience.spring.properties.unknown;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * What the thread pools of Resilience4j are called here. There a pool and a semaphore may have one name; here both are
 * bulkheads, so a pool whose name is taken gets {@code -pool} behind it, and a number if that is taken as well. Immutable.
 */
public final class PoolNames {

    private static final String DEFAULT = "default";

    private final Set<String> taken;
    private final Set<String> all;

    private PoolNames(Set<String> taken, Set<String> all) {
        this.taken = taken;
        this.all = all;
    }

    /**
     * Names for an application.
     *
     * @param pools the names of all its pools, {@code default} too
     * @param semaphores those of its semaphores, which start from {@code default} whether that is written or not
     */
    public static PoolNames of(Collection<String> pools, Collection<String> semaphores) {
        Set<String> taken = new HashSet<>(semaphores);
        if (!taken.isEmpty()) {
            taken.add(DEFAULT);
        }
        taken.retainAll(Set.copyOf(pools));
        Set<String> all = new HashSet<>(pools);
        all.addAll(semaphores);
        return new PoolNames(taken, all);
    }

    /** The name of a pool here. */
    public String of(String pool) {
        if (!isTaken(pool)) {
            return pool;
        }
        String name = pool + "-pool";
        for (int number = 2; all.contains(name); number++) {
            name = pool + "-pool-" + number;
        }
        return name;
    }

    /** Whether a semaphore has the name. */
    public boolean isTaken(String pool) {
        return taken.contains(pool);
    }

    /** Whether pools have defaults of their own, which {@code default} cannot hold. */
    boolean haveDefault() {
        return isTaken(DEFAULT);
    }
}
