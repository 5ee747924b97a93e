package dev.resilience.spring.properties.store;

import org.springframework.util.unit.DataSize;

/** What is written under {@code resilience.idempotency-store}. */
public final class IdempotencyStoreProperties {

    /** Where the records of idempotent calls are kept. */
    private Type type = Type.AUTO;

    private final Memory memory = new Memory();

    private final Jdbc jdbc = new Jdbc();

    private final Redis redis = new Redis();

    public Type getType() {
        return type;
    }

    public void setType(Type type) {
        this.type = type;
    }

    public Memory getMemory() {
        return memory;
    }

    public Jdbc getJdbc() {
        return jdbc;
    }

    public Redis getRedis() {
        return redis;
    }

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

    /** What is written under {@code resilience.idempotency-store.memory}. */
    public static final class Memory {

        /** How much records in this process hold at the most, about. When it is taken, calls with new keys are refused. */
        private DataSize maxSize = DataSize.ofMegabytes(64);

        public DataSize getMaxSize() {
            return maxSize;
        }

        public void setMaxSize(DataSize maxSize) {
            this.maxSize = maxSize;
        }
    }

    /** What is written under {@code resilience.idempotency-store.jdbc}. */
    public static final class Jdbc extends JdbcTable {

        public Jdbc() {
            super("resilience_idempotency");
        }
    }

    /** What is written under {@code resilience.idempotency-store.redis}. */
    public static final class Redis {

        /** What the Redis keys of all records begin with: one for each application that shares the server. */
        private String keyPrefix = "resilience:idempotency:";

        public String getKeyPrefix() {
            return keyPrefix;
        }

        public void setKeyPrefix(String keyPrefix) {
            this.keyPrefix = keyPrefix;
        }
    }
}
