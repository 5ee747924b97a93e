package dev.resilience.spring.properties.store;

/** What is written under {@code jdbc} of a store: its table. */
public abstract class JdbcTable {

    /** Name of the table, with its schema's before it if that is not the default one. */
    private String tableName;

    /** Whether the table is made when the application starts. */
    private InitializeSchema initializeSchema = InitializeSchema.EMBEDDED;

    JdbcTable(String tableName) {
        this.tableName = tableName;
    }

    public String getTableName() {
        return tableName;
    }

    public void setTableName(String tableName) {
        this.tableName = tableName;
    }

    public InitializeSchema getInitializeSchema() {
        return initializeSchema;
    }

    public void setInitializeSchema(InitializeSchema initializeSchema) {
        this.initializeSchema = initializeSchema;
    }

    /** When the table is made. */
    public enum InitializeSchema {
        /** In databases that run inside the application. */
        EMBEDDED,
        /** In every database. */
        ALWAYS,
        /** Never: a migration does it. */
        NEVER
    }
}
