package dev.resilience.spring.autoconfigure.condition;

import dev.resilience.spring.properties.store.IdempotencyStoreProperties;

/** Matches if records of idempotent calls are to be in a relational database, or may be. */
public final class OnJdbcStore extends OnStoreType {

    public OnJdbcStore() {
        super(IdempotencyStoreProperties.Type.JDBC);
    }
}
