package dev.resilience.spring.transaction;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Lets {@link RollbackMarks} hear of the transactions of every transaction manager. */
public final class RollbackMarksRegistration implements BeanPostProcessor {

    private final RollbackMarks marks = new RollbackMarks();

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(marks);
        }
        return bean;
    }
}
