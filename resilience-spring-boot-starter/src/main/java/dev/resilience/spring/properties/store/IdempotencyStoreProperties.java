package dev.resilience.spring.properties.store;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What is written under {@code resilience.idempotency-store}.
 *
 * @param type Where the records of idempotent calls are kept.
 */
public record IdempotencyStoreProperties(
        @DefaultValue("auto") Type type,
        @DefaultValue Memory memory,
        @DefaultValue Jdbc jdbc,
        @DefaultValue Redis redis) {

    /** The kinds of stores. */
    public enum Type {
        /** The best one that the application has what it takes for. */
        AUTO,
        /** In this process. */
        MEMORY,
        /** In a relational database. */
        JDBC,
        /** In Redis, through the application's {@code RedisConnectionFactory}. */
        REDIS
    }

    /**
     * What is written under {@code resilience.idempotency-store.memory}.
     *
     * @param maxSize How much records in this process hold at the most, about. When it is taken, calls with new keys are
     *     refused.
     */
    public record Memory(@DefaultValue("64MB") DataSize maxSize) {}

    /**
     * What is written under {@code resilience.idempotency-store.jdbc}.
     *
     * @param tableName Name of the table, with its schema's before it if that is not the default one.
     * @param initializeSchema Whether the table is made when the application starts.
     */
    public record Jdbc(
            @DefaultValue("resilience_idempotency") String tableName,
            @DefaultValue("embedded") InitializeSchema initializeSchema) {}

    /**
     * What is written under {@code resilience.idempotency-store.redis}.
     *
     * @param keyPrefix What the Redis keys of all records begin with: one for each application that shares the server.
     */
    public record Redis(
            @DefaultValue("resilience:idempotency:") String keyPrefix) {}
}
