package dev.resilience.spring.properties.store;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What is written under {@code resilience.dead-letter-store}.
 *
 * @param type Where calls that ran out of retries are kept.
 */
public record DeadLetterStoreProperties(
        @DefaultValue("auto") Type type,
        @DefaultValue Memory memory,
        @DefaultValue Jdbc jdbc) {

    /** The kinds of stores. */
    public enum Type {
        /** In a relational database if the application has one, or else in this process. */
        AUTO,
        /** In this process. */
        MEMORY,
        /** In a relational database. */
        JDBC
    }

    /**
     * What is written under {@code resilience.dead-letter-store.memory}.
     *
     * @param maxSize How much dead letters in this process hold at the most, about. When it is taken, no more are kept.
     */
    public record Memory(@DefaultValue("64MB") DataSize maxSize) {}

    /**
     * What is written under {@code resilience.dead-letter-store.jdbc}.
     *
     * @param tableName Name of the table, with its schema's before it if that is not the default one.
     * @param initializeSchema Whether the table is made when the application starts.
     */
    public record Jdbc(
            @DefaultValue("resilience_dead_letter") String tableName,
            @DefaultValue("embedded") InitializeSchema initializeSchema) {}
}
