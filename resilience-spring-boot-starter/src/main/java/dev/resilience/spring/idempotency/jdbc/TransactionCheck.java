package dev.resilience.spring.idempotency.jdbc;

import static dev.resilience.spring.WarningId.COMMIT_FREES_KEY;
import static dev.resilience.spring.WarningId.RESULT_OUTSIDE_TRANSACTION;

import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotentMethods;
import java.lang.reflect.Method;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.PriorityOrdered;
import org.springframework.objenesis.ObjenesisException;
import org.springframework.objenesis.SpringObjenesis;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ReflectionUtils;

/**
 * Warns about {@code @Transactional} methods whose result cannot be written in their transaction, so that a crash between
 * the two commits lets the effect happen again, and about those that declare an exception that commits and frees the key.
 */
public record TransactionCheck(
        JdbcIdempotencyStore store,
        ObjectProvider<TransactionAttributeSource> attributes,
        ConfigurableListableBeanFactory beans,
        StartupWarnings warnings)
        implements IdempotentMethods.Check {

    private static final SpringObjenesis OBJENESIS = new SpringObjenesis();

    /** Lets transaction managers tell when their transactions end, those of the application's own making too. */
    public static final class Ends implements BeanPostProcessor, PriorityOrdered {

        @Override
        public Object postProcessBeforeInitialization(Object bean, String name) {
            if (bean instanceof ConfigurableTransactionManager manager) {
                manager.addListener(new BoundTransaction.Ends());
            }
            return bean;
        }

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    @Override
    public void check(Method method, Class<?> type, String name, IdempotencyPolicy policy, boolean asynchronous) {
        TransactionAttributeSource source = attributes.getIfAvailable(AnnotationTransactionAttributeSource::new);
        TransactionAttribute attribute =
                policy.transactional() == Transactional.NEVER ? null : source.getTransactionAttribute(method, type);
        if (attribute == null) {
            return;
        }
        String why =
                asynchronous ? "it returns a stage, which ends after the transaction" : whyNotWritten(attribute, type);
        if (why != null) {
            warnings.add(RESULT_OUTSIDE_TRANSACTION.of("The result of the @Idempotent method " + name
                    + " is not written in its transaction: " + why + ". After a crash between the two commits the "
                    + "method runs again with the same key"));
            return;
        }
        for (Class<?> thrown : method.getExceptionTypes()) {
            if (!isReplayed(thrown, policy) && commitsAfter(thrown, attribute)) {
                warnings.add(COMMIT_FREES_KEY.of("The transaction of the @Idempotent method " + name
                        + " is committed when it throws " + thrown.getName() + ", and its key is free again: a "
                        + "repeated call has its effect a second time. Roll back with @Transactional(rollbackFor = "
                        + thrown.getSimpleName() + ".class), or list the exception in 'replay-exceptions'"));
            }
        }
    }

    private static boolean isReplayed(Class<?> thrown, IdempotencyPolicy policy) {
        return policy.replayExceptions().stream().anyMatch(replayed -> replayed.isAssignableFrom(thrown));
    }

    /** Spring's rules are asked with an instance, which is made without a constructor, because its arguments are unknown. */
    private static boolean commitsAfter(Class<?> thrown, TransactionAttribute attribute) {
        try {
            return !attribute.rollbackOn((Throwable) OBJENESIS.newInstance(thrown));
        } catch (ObjenesisException | LinkageError unmade) { // it is abstract
            return false;
        }
    }

    private @Nullable String whyNotWritten(TransactionAttribute attribute, Class<?> type) {
        if (attribute.isReadOnly()) {
            return "the transaction is read-only";
        }
        if (attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NOT_SUPPORTED
                || attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NEVER) {
            return "the method runs outside transactions";
        }
        TransactionManager manager = manager(attribute, type);
        return manager == null || isOfDataSource(manager)
                ? null
                : "its transaction manager, a " + manager.getClass().getName()
                        + ", is not one of the data source in which the records are kept";
    }

    /** Spring's own choice among transaction managers, by the method, the class, the configuration or the beans. */
    private @Nullable TransactionManager manager(TransactionAttribute attribute, Class<?> type) {
        try {
            return new TransactionAspectSupport() {
                @Nullable
                TransactionManager choice() {
                    setBeanFactory(beans);
                    TransactionInterceptor advice =
                            beans.getBeanProvider(TransactionInterceptor.class).getIfUnique();
                    setTransactionManager(advice == null ? null : advice.getTransactionManager());
                    return determineTransactionManager(attribute, type);
                }
            }.choice();
        } catch (BeansException unclear) { // which the first call will say better
            return null;
        }
    }

    /** Managers of JDBC and of JPA, and whatever else knows its data source. */
    private boolean isOfDataSource(TransactionManager manager) {
        Method getter = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
        Object known = getter == null ? null : ReflectionUtils.invokeMethod(getter, manager);
        return known instanceof DataSource ofManager && store.writesInTransactionsOf(ofManager);
    }
}
