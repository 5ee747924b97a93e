package dev.resilience.spring.autoconfigure;

import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.deadletter.jdbc.JdbcDeadLetterStore;
import dev.resilience.spring.idempotency.jdbc.Cleanup;
import dev.resilience.spring.idempotency.jdbc.JdbcIdempotencyStore;
import dev.resilience.spring.idempotency.jdbc.TransactionCheck;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.spring.properties.ResilienceProperties.InitializeSchema;
import dev.resilience.time.TimeSource;
import java.util.regex.Pattern;
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

/** Keeps the records of idempotent calls and dead letters in the application's database. */
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

    /** Short enough for the names of its indexes, which PostgreSQL would cut off. */
    private static final Pattern TABLE_NAME =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,49}\\.)?[A-Za-z_][A-Za-z0-9_]{0,49}");

    @Bean
    @Lazy
    @DependsOnDatabaseInitialization
    @ConditionalOnSingleCandidate(DataSource.class)
    @ConditionalOnMissingBean(IdempotencyStore.class)
    @Conditional(OnRecords.class)
    JdbcIdempotencyStore resilienceJdbcIdempotencyStore(DataSource dataSource, ResilienceRuntime resilienceRuntime) {
        ResilienceProperties.IdempotencyStore.Jdbc properties =
                resilienceRuntime.values().idempotencyStore().jdbc();
        String table = properties.tableName();
        if (!canBeTable(table, "resilience.idempotency-store.jdbc.table-name", resilienceRuntime.properties)) {
            resilienceRuntime.breaks("idempotency");
            table = JdbcIdempotencyStore.DEFAULT_TABLE;
        }
        return new JdbcIdempotencyStore(dataSource, table, creates(properties.initializeSchema(), dataSource));
    }

    @Bean
    @Lazy
    @DependsOnDatabaseInitialization
    @ConditionalOnSingleCandidate(DataSource.class)
    @ConditionalOnMissingBean(DeadLetterStore.class)
    @Conditional(OnLetters.class)
    JdbcDeadLetterStore resilienceJdbcDeadLetterStore(DataSource dataSource, ResilienceRuntime resilienceRuntime) {
        ResilienceProperties.DeadLetterStore.Jdbc properties =
                resilienceRuntime.values().deadLetterStore().jdbc();
        String table = properties.tableName();
        if (!canBeTable(table, "resilience.dead-letter-store.jdbc.table-name", resilienceRuntime.properties)) {
            table = JdbcDeadLetterStore.DEFAULT_TABLE;
        }
        return new JdbcDeadLetterStore(dataSource, table, creates(properties.initializeSchema(), dataSource));
    }

    /** Reports a name that no table can have. */
    private static boolean canBeTable(String table, String key, CheckedProperties checked) {
        return checked.require(
                TABLE_NAME.matcher(table).matches(),
                key,
                table,
                "must be the name of a table, with its schema's before it or without: up to 50 letters of ASCII, "
                        + "digits and underscores, not quoted, such as resilience_idempotency or billing.idempotency");
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

    static final class OnRecords extends ResilienceStoreConfiguration.OnStore {

        OnRecords() {
            super("resilience.idempotency-store.type", "jdbc");
        }
    }

    static final class OnLetters extends ResilienceStoreConfiguration.OnStore {

        OnLetters() {
            super("resilience.dead-letter-store.type", "jdbc");
        }
    }
}
