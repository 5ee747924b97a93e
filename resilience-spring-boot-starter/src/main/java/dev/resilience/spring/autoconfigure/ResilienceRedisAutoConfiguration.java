package dev.resilience.spring.autoconfigure;

import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.condition.OnEnabled;
import dev.resilience.spring.autoconfigure.condition.OnRedisStore;
import dev.resilience.spring.idempotency.IdempotencyKind;
import dev.resilience.spring.idempotency.jdbc.check.ImplicitRedisStoreCheck;
import dev.resilience.spring.idempotency.redis.RedisIdempotencyStore;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.spring.properties.unknown.PolicyNames;
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
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/** Keeps the records of idempotent calls in Redis where the application has a connection to one. */
@AutoConfiguration(
        before = ResilienceAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@Conditional({OnEnabled.class, OnRedisStore.class})
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnSingleCandidate(RedisConnectionFactory.class)
public final class ResilienceRedisAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(IdempotencyStore.class)
    RedisIdempotencyStore resilienceRedisIdempotencyStore(
            RedisConnectionFactory connections,
            CheckedProperties resilienceCheckedProperties,
            PolicyNames resiliencePolicyNames,
            Kinds resilienceKinds,
            StartupWarnings resilienceStartupWarnings) {
        String prefix =
                resilienceCheckedProperties.written().idempotencyStore().redis().keyPrefix();
        boolean canBe = resilienceCheckedProperties.require(
                !prefix.contains("{") && !prefix.contains("}"),
                "resilience.idempotency-store.redis.key-prefix",
                prefix,
                "must have no braces, which tell a cluster where a key belongs");
        if (!canBe) {
            resiliencePolicyNames.breaks(resilienceKinds.get(IdempotencyKind.class));
            prefix = ResilienceProperties.defaults().idempotencyStore().redis().keyPrefix();
        }
        return new RedisIdempotencyStore(connections, prefix, resilienceStartupWarnings);
    }

    @Bean
    @ConditionalOnBean({DataSource.class, RedisIdempotencyStore.class})
    @ConditionalOnProperty(name = "resilience.idempotency-store.type", havingValue = "auto", matchIfMissing = true)
    ImplicitRedisStoreCheck resilienceUndecidedStoreCheck(
            ObjectProvider<TransactionAttributeSource> attributes, StartupWarnings resilienceStartupWarnings) {
        return new ImplicitRedisStoreCheck(attributes, resilienceStartupWarnings);
    }
}
