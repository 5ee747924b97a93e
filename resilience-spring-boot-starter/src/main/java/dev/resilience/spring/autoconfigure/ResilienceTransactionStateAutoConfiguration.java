package dev.resilience.spring.autoconfigure;

import dev.resilience.retry.TransactionState;
import dev.resilience.spring.autoconfigure.condition.OnEnabled;
import dev.resilience.spring.transaction.OpenConnections;
import dev.resilience.spring.transaction.OpenTransactions;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/** Lets retries see that the transaction in which they would repeat something is lost. */
@AutoConfiguration(before = ResilienceAutoConfiguration.class)
@ConditionalOnClass(TransactionAspectSupport.class)
@Conditional(OnEnabled.class)
public final class ResilienceTransactionStateAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DataSourceUtils.class)
    @ConditionalOnMissingBean(TransactionState.class)
    static class JdbcConfiguration {

        @Bean
        OpenTransactions resilienceTransactionState(ObjectProvider<PlatformTransactionManager> managers) {
            return new OpenTransactions(managers, new OpenConnections());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.jdbc.datasource.DataSourceUtils")
    @ConditionalOnMissingBean(TransactionState.class)
    static class OtherConfiguration {

        @Bean
        OpenTransactions resilienceTransactionState(ObjectProvider<PlatformTransactionManager> managers) {
            return new OpenTransactions(managers, TransactionState.NONE);
        }
    }
}
