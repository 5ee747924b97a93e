package dev.resilience.spring.idempotency;

import dev.resilience.spring.idempotency.redis.TestRedis;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** Where an application keeps its records. */
enum Stores {
    MEMORY {
        @Override
        WebApplicationContextRunner application(TestRedis redis) {
            return IdempotentApplication.web().withPropertyValues("resilience.idempotency-store.type=memory");
        }
    },
    JDBC {
        @Override
        WebApplicationContextRunner application(TestRedis redis) {
            JdbcDataSource database = new JdbcDataSource();
            database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            return IdempotentApplication.web()
                    .withPropertyValues(
                            "resilience.idempotency-store.type=jdbc",
                            "resilience.idempotency-store.jdbc.initialize-schema=always")
                    .withBean(DataSource.class, () -> database);
        }
    },
    REDIS {
        @Override
        WebApplicationContextRunner application(TestRedis redis) {
            return IdempotentApplication.web()
                    .withPropertyValues(
                            "spring.data.redis.port=" + redis.port(),
                            "resilience.idempotency-store.redis.key-prefix=" + UUID.randomUUID() + ":");
        }
    };

    /** An application with an empty store of this kind. */
    abstract WebApplicationContextRunner application(TestRedis redis);
}
