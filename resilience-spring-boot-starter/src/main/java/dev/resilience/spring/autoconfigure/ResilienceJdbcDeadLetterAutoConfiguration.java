package dev.resilience.spring.autoconfigure;

import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.spring.autoconfigure.condition.OnEnabled;
import dev.resilience.spring.deadletter.jdbc.JdbcDeadLetterStore;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.GeneralProperties;
import dev.resilience.spring.properties.store.DeadLetterStoreProperties;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** Keeps dead letters in the application's database. */
@AutoConfiguration(
        before = ResilienceAutoConfiguration.class,
        afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({DataSourceUtils.class, EmbeddedDatabaseConnection.class})
@Conditional(OnEnabled.class)
public final class ResilienceJdbcDeadLetterAutoConfiguration {

    @Bean
    @DependsOnDatabaseInitialization
    @ConditionalOnSingleCandidate(DataSource.class)
    @ConditionalOnMissingBean(DeadLetterStore.class)
    @Conditional(OnDatabase.class)
    JdbcDeadLetterStore resilienceJdbcDeadLetterStore(
            DataSource dataSource, CheckedProperties resilienceCheckedProperties) {
        DeadLetterStoreProperties.Jdbc properties =
                resilienceCheckedProperties.written().deadLetterStore().jdbc();
        String table = properties.tableName();
        if (!ResilienceJdbcAutoConfiguration.canBeTable(
                table, "resilience.dead-letter-store.jdbc.table-name", resilienceCheckedProperties)) {
            table = JdbcDeadLetterStore.DEFAULT_TABLE;
        }
        return new JdbcDeadLetterStore(
                dataSource, table, ResilienceJdbcAutoConfiguration.creates(properties.initializeSchema(), dataSource));
    }

    /** Unless {@code resilience.dead-letter-store.type} is another one. */
    static final class OnDatabase extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            DeadLetterStoreProperties.Type type = GeneralProperties.read(context.getEnvironment())
                    .deadLetterStore()
                    .type();
            return new ConditionOutcome(
                    type != DeadLetterStoreProperties.Type.MEMORY,
                    ConditionMessage.of("resilience.dead-letter-store.type is " + type));
        }
    }
}
