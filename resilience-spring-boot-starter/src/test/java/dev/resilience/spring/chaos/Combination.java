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
        return "chaos_" + manager.name().toLowerCase(Locale.ROOT) + "_" + isolation.ordinal() + "_" + poolSize;
    }

    /** Unlike every other combination's. */
    int number() {
        return (manager.ordinal() * Isolation.values().length + isolation.ordinal()) * 20 + poolSize;
    }

    @Override
    public String toString() {
        return manager + ", " + isolation + ", pool of " + poolSize;
    }
}
