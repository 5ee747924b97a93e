package dev.resilience.spring.autoconfigure;

import dev.resilience.retry.TransactionState;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.aop.ResultRecordingAdvisor;
import dev.resilience.spring.autoconfigure.condition.OnEnabled;
import dev.resilience.spring.transaction.OpenConnections;
import dev.resilience.spring.transaction.OpenTransactions;
import dev.resilience.spring.transaction.RollbackMarksRegistration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/**
 * Lets a store, be it the application's own, write results in the transaction of the method, drops the results of methods
 * whose transaction was rolled back, and lets retries see that the transaction in which they would repeat something is lost.
 */
@AutoConfiguration(
        before = ResilienceAutoConfiguration.class,
        after = {ResilienceJdbcAutoConfiguration.class, ResilienceRedisAutoConfiguration.class},
        afterName = "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration")
@ConditionalOnClass(TransactionAspectSupport.class)
@Conditional(OnEnabled.class)
public final class ResilienceTransactionAutoConfiguration {

    /** Registered after the advisor of transactions, and inside of it, because both say that they are the last. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ResultRecordingAdvisor resilienceBodyAdvisor(ResilienceAdvisor resilienceAdvisor) {
        return new ResultRecordingAdvisor(resilienceAdvisor);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RollbackMarksRegistration resilienceRollbackMarks() {
        return new RollbackMarksRegistration();
    }

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
