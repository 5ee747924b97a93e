package dev.resilience.spring.autoconfigure;

/** Matches if the records of idempotent calls may be kept in a database. */
final class OnJdbcStore extends OnStoreType {

    OnJdbcStore() {
        super(ResilienceProperties.IdempotencyStore.Type.JDBC);
    }
}
