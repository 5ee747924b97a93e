package dev.resilience.spring.autoconfigure;

import dev.resilience.retry.TransactionState;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.aop.ResultRecordingAdvisor;
import dev.resilience.spring.retry.OpenTransactions;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
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
@Conditional(ResilienceAutoConfiguration.OnEnabled.class)
public final class ResilienceTransactionAutoConfiguration {

    /** Registered after the advisor of transactions, and inside it, because both say that they are the last. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ResultRecordingAdvisor resilienceBodyAdvisor(ResilienceAdvisor resilienceAdvisor) {
        return new ResultRecordingAdvisor(resilienceAdvisor);
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean(TransactionState.class)
    OpenTransactions resilienceTransactionState() {
        return new OpenTransactions();
    }
}
