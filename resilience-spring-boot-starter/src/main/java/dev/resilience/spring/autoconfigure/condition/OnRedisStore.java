package dev.resilience.spring.autoconfigure.condition;

import dev.resilience.spring.properties.store.IdempotencyStoreProperties;

/** Matches if records of idempotent calls are to be in Redis, or may be. */
public final class OnRedisStore extends OnStoreType {

    public OnRedisStore() {
        super(IdempotencyStoreProperties.Type.REDIS);
    }
}
