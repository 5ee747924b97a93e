package dev.resilience.spring.properties;

import dev.resilience.policy.Require;
import dev.resilience.spring.WarningId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.core.Ordered;
import org.springframework.util.unit.DataSize;

/**
 * What is configured under {@code resilience} besides policies.
 *
 * @param enabled Whether annotated methods are protected at all.
 * @param order Order of the layers around a method, the outermost first: a permutation of the default, in which fallback may be
 *     left out.
 * @param adviceMode How methods are intercepted: by proxies of beans, or by AspectJ, which weaves the advice into the classes,
 *     for calls within an object and private methods too.
 * @param adviceOrder Order of the advice relative to other Spring advice; by default outside transactions and caches.
 */
@ConfigurationProperties(ConfiguredProperties.ROOT)
public record ResilienceProperties(
        @DefaultValue("true") boolean enabled,

        @DefaultValue({"fallback", "idempotent", "bulkhead", "circuit-breaker", "retry", "time-limit"})
        List<String> order,

        @DefaultValue("proxy") AdviceMode adviceMode,

        @DefaultValue("" + (Ordered.LOWEST_PRECEDENCE - 100))
        int adviceOrder,

        @DefaultValue Async async,
        @DefaultValue Deadline deadline,

        @DefaultValue IdempotencyStore idempotencyStore,

        @DefaultValue DeadLetterStore deadLetterStore,

        @DefaultValue DeadLetter deadLetter,

        @DefaultValue RateLimitStore rateLimitStore,

        @DefaultValue Registry registry,

        @DefaultValue Warnings warnings) {

    /** Short enough for the names of its indexes, which PostgreSQL would cut off. */
    private static final Pattern TABLE_NAME =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,49}\\.)?[A-Za-z_][A-Za-z0-9_]{0,49}");

    /** As if nothing were configured: the same as the annotations say, without a binder, which would be slow at startup. */
    public static ResilienceProperties defaults() {
        return new ResilienceProperties(
                true,
                List.of("fallback", "idempotent", "bulkhead", "circuit-breaker", "retry", "time-limit"),
                AdviceMode.PROXY,
                Ordered.LOWEST_PRECEDENCE - 100,
                new Async(null),
                new Deadline(true, Duration.ZERO, "X-Request-Deadline-Ms", Duration.ofMillis(100)),
                new IdempotencyStore(
                        IdempotencyStore.Type.AUTO,
                        new IdempotencyStore.Memory(DataSize.ofMegabytes(64)),
                        new IdempotencyStore.Jdbc("resilience_idempotency", InitializeSchema.EMBEDDED),
                        new IdempotencyStore.Redis("resilience:idempotency:")),
                new DeadLetterStore(
                        DeadLetterStore.Type.AUTO,
                        new DeadLetterStore.Memory(DataSize.ofMegabytes(64)),
                        new DeadLetterStore.Jdbc("resilience_dead_letter", InitializeSchema.EMBEDDED)),
                new DeadLetter(Duration.ofDays(30)),
                new RateLimitStore(
                        new RateLimitStore.Jdbc("resilience_rate_limit", InitializeSchema.EMBEDDED),
                        new RateLimitStore.Redis("resilience:rate-limit:")),
                new Registry(1_000),
                new Warnings(Set.of()));
    }

    /**
     * What is configured under {@code resilience.dead-letter}.
     *
     * @param retention How long a letter is kept after it was given up.
     */
    public record DeadLetter(@DefaultValue("30d") Duration retention) {

        public DeadLetter {
            Require.positive("dead-letter.retention", retention);
        }
    }

    /**
     * What is configured under {@code resilience.registry}.
     *
     * @param maxCreated Policies of a kind that code makes at the most while the application runs.
     */
    public record Registry(@DefaultValue("1000") int maxCreated) {

        public Registry {
            Require.atLeast(1, "registry.max-created", maxCreated);
        }
    }

    /**
     * What is configured under {@code resilience.warnings}.
     *
     * @param ignore Ids of startup warnings that are neither logged nor shown by the actuator.
     */
    public record Warnings(@DefaultValue Set<WarningId> ignore) {}

    /**
     * What is configured under {@code resilience.async}.
     *
     * @param maxThreads Threads that each policy has at the most for asynchronous calls that go on after a wait. By default
     *     virtual threads as needed or, before Java 21, the larger of 16 and four for each processor.
     */
    public record Async(@Nullable Integer maxThreads) {

        public Async {
            Require.that(maxThreads == null || maxThreads >= 1, "async.max-threads", maxThreads, "must be at least 1");
        }
    }

    /**
     * What is configured under {@code resilience.deadline}.
     *
     * @param fromRequests Whether the header of requests that come in is believed.
     * @param minimum How much time a request has at the least that comes with a deadline, unless it says that none is left.
     * @param header Name of the header that tells how many milliseconds are left for a request.
     * @param margin What is taken off when the header is written, for the way of the answer.
     */
    public record Deadline(
            @DefaultValue("true") boolean fromRequests,
            @DefaultValue("0s") Duration minimum,
            @DefaultValue("X-Request-Deadline-Ms") String header,
            @DefaultValue("100ms") Duration margin) {

        public Deadline {
            Require.notNegative("deadline.minimum", minimum);
            Require.that(
                    header.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+"),
                    "deadline.header",
                    header,
                    "must be the name of a header, such as X-Request-Deadline-Ms");
            Require.positive("deadline.margin", margin);
        }
    }

    /**
     * What is configured under {@code resilience.idempotency-store}.
     *
     * @param type Where the records of idempotent calls are kept.
     */
    public record IdempotencyStore(
            @DefaultValue("auto") IdempotencyStore.Type type,
            @DefaultValue IdempotencyStore.Memory memory,
            @DefaultValue IdempotencyStore.Jdbc jdbc,
            @DefaultValue IdempotencyStore.Redis redis) {

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
         * What is configured under {@code resilience.idempotency-store.memory}.
         *
         * @param maxSize How much records in this process hold at the most, about. When it is taken, calls with new keys are
         *     refused.
         */
        public record Memory(@DefaultValue("64MB") DataSize maxSize) {

            public Memory {
                Require.that(
                        maxSize.toBytes() > 0, "idempotency-store.memory.max-size", maxSize, "must be more than 0");
            }
        }

        /**
         * What is configured under {@code resilience.idempotency-store.jdbc}.
         *
         * @param tableName Name of the table, with its schema's before it if that is not the default one.
         * @param initializeSchema Whether the table is made when the application starts.
         */
        public record Jdbc(
                @DefaultValue("resilience_idempotency") String tableName,
                @DefaultValue("embedded") InitializeSchema initializeSchema) {

            public Jdbc {
                requireTable("idempotency-store.jdbc.table-name", tableName);
            }
        }

        /**
         * What is configured under {@code resilience.idempotency-store.redis}.
         *
         * @param keyPrefix What the Redis keys of all records begin with: one for each application that shares the server.
         */
        public record Redis(
                @DefaultValue("resilience:idempotency:") String keyPrefix) {

            public Redis {
                Require.that(
                        !keyPrefix.contains("{") && !keyPrefix.contains("}"),
                        "idempotency-store.redis.key-prefix",
                        keyPrefix,
                        "must have no braces, which tell a cluster where a key belongs");
            }
        }
    }

    /**
     * What is configured under {@code resilience.dead-letter-store}.
     *
     * @param type Where calls that ran out of retries are kept.
     */
    public record DeadLetterStore(
            @DefaultValue("auto") DeadLetterStore.Type type,
            @DefaultValue DeadLetterStore.Memory memory,
            @DefaultValue DeadLetterStore.Jdbc jdbc) {

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
         * What is configured under {@code resilience.dead-letter-store.memory}.
         *
         * @param maxSize How much dead letters in this process hold at the most, about. When it is taken, no more are kept.
         */
        public record Memory(@DefaultValue("64MB") DataSize maxSize) {

            public Memory {
                Require.that(
                        maxSize.toBytes() > 0, "dead-letter-store.memory.max-size", maxSize, "must be more than 0");
            }
        }

        /**
         * What is configured under {@code resilience.dead-letter-store.jdbc}.
         *
         * @param tableName Name of the table, with its schema's before it if that is not the default one.
         * @param initializeSchema Whether the table is made when the application starts.
         */
        public record Jdbc(
                @DefaultValue("resilience_dead_letter") String tableName,
                @DefaultValue("embedded") InitializeSchema initializeSchema) {

            public Jdbc {
                requireTable("dead-letter-store.jdbc.table-name", tableName);
            }
        }
    }

    /** What is configured under {@code resilience.rate-limit-store}, for the limits that several processes share. */
    public record RateLimitStore(
            @DefaultValue RateLimitStore.Jdbc jdbc,
            @DefaultValue RateLimitStore.Redis redis) {

        /**
         * What is configured under {@code resilience.rate-limit-store.jdbc}.
         *
         * @param tableName Name of the table, with its schema's before it if that is not the default one.
         * @param initializeSchema Whether the table is made when the application starts.
         */
        public record Jdbc(
                @DefaultValue("resilience_rate_limit") String tableName,
                @DefaultValue("embedded") InitializeSchema initializeSchema) {

            public Jdbc {
                requireTable("rate-limit-store.jdbc.table-name", tableName);
            }
        }

        /**
         * What is configured under {@code resilience.rate-limit-store.redis}.
         *
         * @param keyPrefix What the Redis keys of all limits begin with: applications that share it, and a server, share limits.
         */
        public record Redis(
                @DefaultValue("resilience:rate-limit:") String keyPrefix) {}
    }

    private static void requireTable(String key, String name) {
        Require.that(
                TABLE_NAME.matcher(name).matches(),
                key,
                name,
                "must be the name of a table, with its schema's before it or without: up to 50 letters of ASCII, "
                        + "digits and underscores, not quoted, such as resilience_idempotency or billing.idempotency");
    }

    /** When the table of a store is made. */
    public enum InitializeSchema {
        /** In databases that run inside the application. */
        EMBEDDED,
        /** In every database. */
        ALWAYS,
        /** Never: a migration does it. */
        NEVER
    }
}
