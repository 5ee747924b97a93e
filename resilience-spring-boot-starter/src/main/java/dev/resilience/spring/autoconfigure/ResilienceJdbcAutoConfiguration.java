package dev.resilience.spring.autoconfigure;

import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.ResultRecordingAdvisor;
import dev.resilience.spring.autoconfigure.condition.OnEnabled;
import dev.resilience.spring.autoconfigure.condition.OnJdbcStore;
import dev.resilience.spring.idempotency.IdempotencyKind;
import dev.resilience.spring.idempotency.jdbc.Cleanup;
import dev.resilience.spring.idempotency.jdbc.JdbcIdempotencyStore;
import dev.resilience.spring.idempotency.jdbc.check.PoolSizeCheck;
import dev.resilience.spring.idempotency.jdbc.check.TransactionCheck;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.store.IdempotencyStoreProperties;
import dev.resilience.spring.properties.store.InitializeSchema;
import dev.resilience.spring.properties.unknown.PolicyNames;
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
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/** Keeps the records of idempotent calls in the application's database, by the store made here or one of its own. */
@AutoConfiguration(
        before = ResilienceAutoConfiguration.class,
        after = ResilienceRedisAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
        })
@ConditionalOnClass({DataSourceUtils.class, EmbeddedDatabaseConnection.class})
@Conditional(OnEnabled.class)
public final class ResilienceJdbcAutoConfiguration {

    /** Short enough for the names of its indexes, which PostgreSQL would cut off. */
    private static final Pattern TABLE_NAME =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,49}\\.)?[A-Za-z_][A-Za-z0-9_]{0,49}");

    @Bean
    @DependsOnDatabaseInitialization
    @ConditionalOnSingleCandidate(DataSource.class)
    @ConditionalOnMissingBean(IdempotencyStore.class)
    @Conditional(OnJdbcStore.class)
    JdbcIdempotencyStore resilienceJdbcIdempotencyStore(
            DataSource dataSource,
            CheckedProperties resilienceCheckedProperties,
            PolicyNames resiliencePolicyNames,
            Kinds resilienceKinds) {
        IdempotencyStoreProperties.Jdbc properties =
                resilienceCheckedProperties.written().idempotencyStore().jdbc();
        String table = properties.tableName();
        boolean canBe = canBeTable(table, "resilience.idempotency-store.jdbc.table-name", resilienceCheckedProperties);
        if (!canBe) {
            resiliencePolicyNames.breaks(resilienceKinds.get(IdempotencyKind.class));
            table = JdbcIdempotencyStore.DEFAULT_TABLE;
        }
        return new JdbcIdempotencyStore(dataSource, table, creates(properties.initializeSchema(), dataSource));
    }

    /** Reports a name that no table can have. */
    static boolean canBeTable(String table, String key, CheckedProperties checked) {
        return checked.require(
                TABLE_NAME.matcher(table).matches(),
                key,
                table,
                "must be the name of a table, with its schema's before it or without: up to 50 letters of ASCII, "
                        + "digits and underscores, not quoted, such as resilience_idempotency or billing.idempotency");
    }

    static boolean creates(InitializeSchema schema, DataSource dataSource) {
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
    @ConditionalOnSingleCandidate(JdbcIdempotencyStore.class)
    TransactionCheck resilienceTransactionCheck(
            JdbcIdempotencyStore store,
            ObjectProvider<TransactionAttributeSource> attributes,
            ConfigurableListableBeanFactory beans,
            ResultRecordingAdvisor resilienceBodyAdvisor,
            StartupWarnings resilienceStartupWarnings) {
        return new TransactionCheck(store, attributes, beans, resilienceBodyAdvisor, resilienceStartupWarnings);
    }

    @Bean
    @ConditionalOnSingleCandidate(JdbcIdempotencyStore.class)
    PoolSizeCheck resiliencePoolSizeCheck(
            JdbcIdempotencyStore store,
            ObjectProvider<DataSourcePoolMetadataProvider> pools,
            StartupWarnings resilienceStartupWarnings) {
        return new PoolSizeCheck(store, pools, resilienceStartupWarnings);
    }
}
