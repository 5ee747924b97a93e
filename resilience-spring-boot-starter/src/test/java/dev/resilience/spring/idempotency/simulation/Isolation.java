package dev.resilience.spring.idempotency.simulation;

/** As PostgreSQL has them; a serialization failure that only SERIALIZABLE can have is a refused COMMIT. */
enum Isolation {
    READ_COMMITTED,
    REPEATABLE_READ,
    SERIALIZABLE;

    boolean isSnapshot() {
        return this != READ_COMMITTED;
    }
}
