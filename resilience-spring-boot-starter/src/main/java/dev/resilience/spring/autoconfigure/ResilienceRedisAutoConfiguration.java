package dev.resilience.spring.autoconfigure;

import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.ResilienceStoreConfiguration.ConditionalOnStore;
import dev.resilience.spring.idempotency.redis.RedisChosenCheck;
import dev.resilience.spring.idempotency.redis.RedisIdempotencyStore;
import dev.resilience.spring.ratelimit.redis.RedisRateLimitStore;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/** Keeps the records of idempotent calls, and permits of shared limits, in Redis where the application has a connection to one. */
@AutoConfiguration(
        before = ResilienceAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@Conditional(ResilienceAutoConfiguration.OnEnabled.class)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnSingleCandidate(RedisConnectionFactory.class)
public final class ResilienceRedisAutoConfiguration {

    @Bean
    @Lazy
    @ConditionalOnMissingBean(IdempotencyStore.class)
    @ConditionalOnStore(property = "resilience.idempotency-store.type", type = "redis")
    RedisIdempotencyStore resilienceRedisIdempotencyStore(
            RedisConnectionFactory connections, ResilienceRuntime resilienceRuntime) {
        String prefix = resilienceRuntime.values().idempotencyStore().redis().keyPrefix();
        return new RedisIdempotencyStore(connections, prefix, resilienceRuntime.warnings);
    }

    @Bean
    @Lazy
    RedisRateLimitStore resilienceRedisRateLimitStore(
            RedisConnectionFactory connections, ResilienceRuntime resilienceRuntime) {
        return new RedisRateLimitStore(
                connections, resilienceRuntime.values().rateLimitStore().redis().keyPrefix());
    }

    @Bean
    @Lazy
    @ConditionalOnBean({DataSource.class, RedisIdempotencyStore.class})
    @ConditionalOnProperty(name = "resilience.idempotency-store.type", havingValue = "auto", matchIfMissing = true)
    RedisChosenCheck resilienceRedisChosenCheck(
            ObjectProvider<TransactionAttributeSource> attributes, StartupWarnings resilienceStartupWarnings) {
        return new RedisChosenCheck(attributes, resilienceStartupWarnings);
    }
}
