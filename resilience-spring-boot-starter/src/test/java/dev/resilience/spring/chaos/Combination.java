package dev.resilience.spring.chaos;

import java.util.Locale;

/** What differs between applications. */
record Combination(Manager manager, Isolation isolation, int poolSize) {

    /** The level of the pool's connections, and so of the store's own statements too. */
    enum Isolation {
        READ_COMMITTED,
        REPEATABLE_READ,
        SERIALIZABLE;

        String level() {
            return "TRANSACTION_" + this;
        }
    }

    /** For tables, keys and sessions. */
    String id() {
        return ("chaos_" + manager + "_" + isolation + "_" + poolSize).toLowerCase(Locale.ROOT);
    }

    /** The same in every process, and most likely unlike every other combination's. */
    int number() {
        return Math.floorMod(id().hashCode(), 1_000);
    }

    @Override
    public String toString() {
        return manager + ", " + isolation + ", pool of " + poolSize;
    }
}
