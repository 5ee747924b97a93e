package dev.resilience.spring.properties;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.Ordered;
import org.springframework.util.unit.DataSize;

/** What is written under {@code resilience} besides policies. */
@ConfigurationProperties("resilience")
public final class ResilienceProperties {

    /** Whether annotated methods are protected at all. */
    private boolean enabled = true;

    /** Order of the layers around a method, the outermost first: a permutation of the default, in which fallback may be left out. */
    private List<String> order =
            List.of("fallback", "idempotent", "bulkhead", "circuit-breaker", "retry", "time-limit");

    /** Order of the advice relative to other Spring advice; by default outside transactions and caches. */
    private int adviceOrder = Ordered.LOWEST_PRECEDENCE - 100;

    private final Async async = new Async();

    private final Deadline deadline = new Deadline();

    private final IdempotencyStore idempotencyStore = new IdempotencyStore();

    private final DeadLetterStore deadLetterStore = new DeadLetterStore();

    private final Registry registry = new Registry();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public List<String> getOrder() {
        return order;
    }

    public void setOrder(List<String> order) {
        this.order = order;
    }

    public int getAdviceOrder() {
        return adviceOrder;
    }

    public void setAdviceOrder(int adviceOrder) {
        this.adviceOrder = adviceOrder;
    }

    public Async getAsync() {
        return async;
    }

    public Deadline getDeadline() {
        return deadline;
    }

    public IdempotencyStore getIdempotencyStore() {
        return idempotencyStore;
    }

    public DeadLetterStore getDeadLetterStore() {
        return deadLetterStore;
    }

    public Registry getRegistry() {
        return registry;
    }

    /** What is written under {@code resilience.registry}. */
    public static final class Registry {

        /** Policies of a kind that code makes at the most while the application runs. */
        private int maxCreated = 1000;

        public int getMaxCreated() {
            return maxCreated;
        }

        public void setMaxCreated(int maxCreated) {
            this.maxCreated = maxCreated;
        }
    }

    /** What is written under {@code resilience.async}. */
    public static final class Async {

        /**
         * Threads that each policy has at the most for asynchronous calls that go on after a wait. By default virtual
         * threads as needed or, before Java 21, the larger of 16 and four for each processor.
         */
        private @Nullable Integer maxThreads;

        public @Nullable Integer getMaxThreads() {
            return maxThreads;
        }

        public void setMaxThreads(@Nullable Integer maxThreads) {
            this.maxThreads = maxThreads;
        }
    }

    /** What is written under {@code resilience.deadline}. */
    public static final class Deadline {

        /** Whether the header of requests that come in is believed. */
        private boolean fromRequests = true;

        /** How much time a request has at the least that comes with a deadline, unless it says that none is left. */
        private Duration minimum = Duration.ZERO;

        /** Name of the header that tells how many milliseconds are left for a request. */
        private String header = "X-Request-Deadline-Ms";

        /** What is taken off when the header is written, for the way of the answer. */
        private Duration margin = Duration.ofMillis(100);

        public boolean isFromRequests() {
            return fromRequests;
        }

        public void setFromRequests(boolean fromRequests) {
            this.fromRequests = fromRequests;
        }

        public Duration getMinimum() {
            return minimum;
        }

        public void setMinimum(Duration minimum) {
            this.minimum = minimum;
        }

        public String getHeader() {
            return header;
        }

        public void setHeader(String header) {
            this.header = header;
        }

        public Duration getMargin() {
            return margin;
        }

        public void setMargin(Duration margin) {
            this.margin = margin;
        }
    }

    /** What is written under {@code resilience.idempotency-store}. */
    public static final class IdempotencyStore {

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
        public static final class Jdbc {

            /** Name of the table, with its schema's before it if that is not the default one. */
            private String tableName = "resilience_idempotency";

            /** Whether the table is made when the application starts. */
            private InitializeSchema initializeSchema = InitializeSchema.EMBEDDED;

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

    /** What is written under {@code resilience.dead-letter-store}. */
    public static final class DeadLetterStore {

        /** Where calls that ran out of retries are kept. */
        private StoreType type = StoreType.AUTO;

        private final MemoryStore memory = new MemoryStore();

        private final JdbcStore jdbc = new JdbcStore();

        public StoreType getType() {
            return type;
        }

        public void setType(StoreType type) {
            this.type = type;
        }

        public MemoryStore getMemory() {
            return memory;
        }

        public JdbcStore getJdbc() {
            return jdbc;
        }

        /** What is written under {@code resilience.dead-letter-store.memory}. */
        public static final class MemoryStore {

            /** How much dead letters in this process hold at the most, about. When it is taken, no more are kept. */
            private DataSize maxSize = DataSize.ofMegabytes(64);

            public DataSize getMaxSize() {
                return maxSize;
            }

            public void setMaxSize(DataSize maxSize) {
                this.maxSize = maxSize;
            }
        }

        /** What is written under {@code resilience.dead-letter-store.jdbc}. */
        public static final class JdbcStore {

            /** Name of the table, with its schema's before it if that is not the default one. */
            private String tableName = "resilience_dead_letter";

            /** Whether the table is made when the application starts. */
            private IdempotencyStore.InitializeSchema initializeSchema = IdempotencyStore.InitializeSchema.EMBEDDED;

            public String getTableName() {
                return tableName;
            }

            public void setTableName(String tableName) {
                this.tableName = tableName;
            }

            public IdempotencyStore.InitializeSchema getInitializeSchema() {
                return initializeSchema;
            }

            public void setInitializeSchema(IdempotencyStore.InitializeSchema initializeSchema) {
                this.initializeSchema = initializeSchema;
            }
        }

        /** The kinds of stores. */
        public enum StoreType {
            /** In a relational database if the application has one, or else in this process. */
            AUTO,
            /** In this process. */
            MEMORY,
            /** In a relational database. */
            JDBC
        }
    }
}
