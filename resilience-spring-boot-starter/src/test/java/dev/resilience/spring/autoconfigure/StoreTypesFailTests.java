package dev.resilience.spring.autoconfigure;

import org.junit.jupiter.api.Test;

/** A store that was asked for, and cannot be had. */
class StoreTypesFailTests extends FailingStartup {

    @Test
    void redisWithoutConnections() {
        fail("""
            resilience:
              idempotency-store:
                type: redis
            """)
                .blames("resilience.idempotency-store.type", "redis", 3)
                .advises(
                        "needs a RedisConnectionFactory bean",
                        "'org.springframework.boot:spring-boot-starter-data-redis'");
    }

    @Test
    void jdbcWithoutADatabase() {
        fail("""
            resilience:
              idempotency-store:
                type: jdbc
            """)
                .blames("resilience.idempotency-store.type", "jdbc", 3)
                .advises("needs a DataSource bean", "'org.springframework.boot:spring-boot-starter-jdbc'");
    }

    @Test
    void memoryWithoutRoom() {
        fail("resilience.idempotency-store.memory.max-size: 0MB")
                .blames("resilience.idempotency-store.memory.max-size", "0MB", 1)
                .advises("must be more than 0");
    }

    @Test
    void misspelt() {
        fail("resilience.idempotency-store.type: reddis")
                .blames("resilience.idempotency-store.type", "reddis", 1)
                .advises("AUTO", "MEMORY", "JDBC", "REDIS");
    }
}
