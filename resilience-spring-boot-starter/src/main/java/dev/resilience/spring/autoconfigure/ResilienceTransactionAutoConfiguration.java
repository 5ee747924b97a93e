package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.aop.ResultRecordingAdvisor;
import dev.resilience.spring.autoconfigure.condition.OnEnabled;
import dev.resilience.spring.transaction.RollbackMarksRegistration;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets a store, be it the application's own, write results in the transaction of the method, and drops the results of
 * methods whose transaction was rolled back.
 */
@AutoConfiguration(
        before = ResilienceAutoConfiguration.class,
        after = {ResilienceJdbcAutoConfiguration.class, ResilienceRedisAutoConfiguration.class},
        afterName = "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration")
@ConditionalOnClass(TransactionSynchronizationManager.class)
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
}
