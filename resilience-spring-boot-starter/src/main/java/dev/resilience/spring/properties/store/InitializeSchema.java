package dev.resilience.spring.properties.store;

/** When the table of a store is made. */
public enum InitializeSchema {
    /** In databases that run inside the application. */
    EMBEDDED,
    /** In every database. */
    ALWAYS,
    /** Never: a migration does it. */
    NEVER
}
