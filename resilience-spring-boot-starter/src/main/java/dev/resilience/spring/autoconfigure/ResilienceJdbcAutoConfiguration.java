package dev.resilience.spring.autoconfigure;

import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.ResilienceStoreConfiguration.ConditionalOnStore;
import dev.resilience.spring.deadletter.jdbc.JdbcDeadLetterStore;
import dev.resilience.spring.idempotency.jdbc.Cleanup;
import dev.resilience.spring.idempotency.jdbc.JdbcIdempotencyStore;
import dev.resilience.spring.idempotency.jdbc.TransactionCheck;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.spring.properties.ResilienceProperties.InitializeSchema;
import dev.resilience.spring.ratelimit.jdbc.JdbcRateLimitStore;
import dev.resilience.time.TimeSource;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/** Keeps the records of idempotent calls, dead letters and permits of shared limits in the application's database. */
@AutoConfiguration(
        before = ResilienceAutoConfiguration.class,
        after = ResilienceRedisAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
        })
@ConditionalOnClass({DataSourceUtils.class, EmbeddedDatabaseConnection.class})
@Conditional(ResilienceAutoConfiguration.OnEnabled.class)
public final class ResilienceJdbcAutoConfiguration {

    @Bean
    @Lazy
    @DependsOnDatabaseInitialization
    @ConditionalOnSingleCandidate(DataSource.class)
    @ConditionalOnMissingBean(IdempotencyStore.class)
    @ConditionalOnStore(property = "resilience.idempotency-store.type", type = "jdbc")
    JdbcIdempotencyStore resilienceJdbcIdempotencyStore(DataSource dataSource, ResilienceRuntime resilienceRuntime) {
        ResilienceProperties.IdempotencyStore.Jdbc properties =
                resilienceRuntime.values().idempotencyStore().jdbc();
        return new JdbcIdempotencyStore(
                dataSource, properties.tableName(), creates(properties.initializeSchema(), dataSource));
    }

    @Bean
    @Lazy
    @DependsOnDatabaseInitialization
    @ConditionalOnSingleCandidate(DataSource.class)
    @ConditionalOnMissingBean(DeadLetterStore.class)
    @ConditionalOnStore(property = "resilience.dead-letter-store.type", type = "jdbc")
    JdbcDeadLetterStore resilienceJdbcDeadLetterStore(DataSource dataSource, ResilienceRuntime resilienceRuntime) {
        ResilienceProperties.DeadLetterStore.Jdbc properties =
                resilienceRuntime.values().deadLetterStore().jdbc();
        return new JdbcDeadLetterStore(
                dataSource, properties.tableName(), creates(properties.initializeSchema(), dataSource));
    }

    @Bean
    @Lazy
    @DependsOnDatabaseInitialization
    @ConditionalOnSingleCandidate(DataSource.class)
    JdbcRateLimitStore resilienceJdbcRateLimitStore(DataSource dataSource, ResilienceRuntime resilienceRuntime) {
        ResilienceProperties.RateLimitStore.Jdbc properties =
                resilienceRuntime.values().rateLimitStore().jdbc();
        return new JdbcRateLimitStore(
                dataSource, properties.tableName(), creates(properties.initializeSchema(), dataSource));
    }

    private static boolean creates(InitializeSchema schema, DataSource dataSource) {
        return switch (schema) {
            case ALWAYS -> true;
            case NEVER -> false;
            case EMBEDDED -> EmbeddedDatabaseConnection.isEmbedded(dataSource);
        };
    }

    @Bean
    @ConditionalOnSingleCandidate(JdbcIdempotencyStore.class)
    Cleanup resilienceIdempotencyCleanup(JdbcIdempotencyStore store, TimeSource time) {
        return new Cleanup(store, time);
    }

    @Bean
    @Lazy
    @ConditionalOnSingleCandidate(JdbcIdempotencyStore.class)
    TransactionCheck resilienceTransactionCheck(
            JdbcIdempotencyStore store,
            ObjectProvider<TransactionAttributeSource> attributes,
            ConfigurableListableBeanFactory beans,
            StartupWarnings resilienceStartupWarnings) {
        return new TransactionCheck(store, attributes, beans, resilienceStartupWarnings);
    }

    @Bean
    static TransactionCheck.Ends resilienceEndsOfTransactions() {
        return new TransactionCheck.Ends();
    }
}
