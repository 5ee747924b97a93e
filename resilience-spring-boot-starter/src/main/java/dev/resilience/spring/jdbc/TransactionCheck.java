package dev.resilience.spring.jdbc;

import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotentMethodCheck;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.objenesis.ObjenesisException;
import org.springframework.objenesis.SpringObjenesis;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of {@code @Transactional} methods whose result cannot be written in their transaction, so that a crash between
 * the two commits lets the effect happen again, and of those that commit and free their key with the same exception.
 */
public final class TransactionCheck implements IdempotentMethodCheck {

    private static final SpringObjenesis OBJENESIS = new SpringObjenesis();

    private final DataSource dataSource;
    private final ObjectProvider<TransactionAttributeSource> attributes;
    private final ConfigurableListableBeanFactory beans;
    private final Advisor writer;
    private final StartupWarnings warnings;

    /**
     * @param writer what stands where the result is written, on the proxies of idempotent methods
     */
    public TransactionCheck(
            JdbcIdempotencyStore store,
            ObjectProvider<TransactionAttributeSource> attributes,
            ConfigurableListableBeanFactory beans,
            Advisor writer,
            StartupWarnings warnings) {
        this.dataSource = store.dataSource();
        this.attributes = attributes;
        this.beans = beans;
        this.writer = writer;
        this.warnings = warnings;
    }

    @Override
    public void check(Method method, Class<?> type, String name, IdempotencyPolicy policy, boolean asynchronous) {
        TransactionAttributeSource source = attributes.getIfAvailable(AnnotationTransactionAttributeSource::new);
        TransactionAttribute attribute =
                policy.transactional() == Transactional.NEVER ? null : source.getTransactionAttribute(method, type);
        if (attribute == null) {
            return;
        }
        String why = asynchronous ? "it returns a stage, which ends after the transaction" : whyNotWritten(attribute);
        if (why == null && !beginsFurtherOut(method, type)) {
            why = "no advice begins it further out than the result is written, as where transactions are woven into "
                    + "classes (mode = ASPECTJ)";
        }
        if (why != null) {
            warnings.add("The result of the @Idempotent method " + name + " is not written in its transaction: " + why
                    + ". After a crash between the two commits the method runs again with the same key");
        } else if (attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_REQUIRES_NEW) {
            warnings.add(
                    "The @Idempotent method " + name + " runs in a transaction of its own (REQUIRES_NEW): its result "
                            + "is written in that one, and a rollback of the caller's neither undoes it nor frees the key");
        }
        if (why == null) {
            checkExceptions(method, name, policy, attribute);
        }
    }

    private void checkExceptions(Method method, String name, IdempotencyPolicy policy, TransactionAttribute attribute) {
        for (Class<?> thrown : method.getExceptionTypes()) {
            boolean isReplayed =
                    policy.replayExceptions().stream().anyMatch(replayed -> replayed.isAssignableFrom(thrown));
            if (!isReplayed && commitsAfter(thrown, attribute)) {
                warnings.add("The transaction of the @Idempotent method " + name + " is committed when it throws "
                        + thrown.getName()
                        + ", and its key is free again: a repeated call has its effect a second time. "
                        + "Roll back with @Transactional(rollbackFor = " + thrown.getSimpleName()
                        + ".class), or list the exception in 'replay-exceptions'");
            }
        }
    }

    private static boolean commitsAfter(Class<?> thrown, TransactionAttribute attribute) {
        try {
            return !attribute.rollbackOn((Throwable) OBJENESIS.newInstance(thrown));
        } catch (ObjenesisException | LinkageError unmade) { // it is abstract, or this is a native image
            return false;
        }
    }

    private @Nullable String whyNotWritten(TransactionAttribute attribute) {
        if (attribute.isReadOnly()) {
            return "the transaction is read-only";
        }
        if (attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NOT_SUPPORTED
                || attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NEVER) {
            return "the method runs outside of transactions";
        }
        TransactionManager manager = manager(attribute.getQualifier());
        return manager == null || isOfDataSource(manager)
                ? null
                : "its transaction manager, a " + manager.getClass().getName()
                        + ", is not one of the data source in which the records are kept";
    }

    private boolean beginsFurtherOut(Method method, Class<?> type) {
        List<Advised> proxies = Arrays.stream(beans.getSingletonNames())
                .map(beans::getSingleton)
                .filter(bean -> bean instanceof Advised proxy && type == proxy.getTargetClass())
                .map(Advised.class::cast)
                .toList();
        return proxies.isEmpty()
                ? attributes.getIfAvailable() != null
                : proxies.stream().allMatch(proxy -> beginsFurtherOut(method, type, proxy));
    }

    private boolean beginsFurtherOut(Method method, Class<?> type, Advised proxy) {
        return Arrays.stream(proxy.getAdvisors())
                .takeWhile(advisor -> advisor != writer)
                .anyMatch(advisor -> advisor.getAdvice() instanceof TransactionInterceptor
                        && advisor instanceof PointcutAdvisor chosen
                        && chosen.getPointcut().getMethodMatcher().matches(method, type));
    }

    private @Nullable TransactionManager manager(@Nullable String qualifier) {
        try {
            return qualifier == null || qualifier.isEmpty()
                    ? beans.getBean(TransactionManager.class)
                    : BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, qualifier);
        } catch (BeansException unclear) { // which the first call will say better
            return null;
        }
    }

    /** Managers of JDBC and of JPA, and whatever else knows its data source. */
    private boolean isOfDataSource(TransactionManager manager) {
        Method getter = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
        Object known = getter == null ? null : ReflectionUtils.invokeMethod(getter, manager);
        return known instanceof DataSource ofManager && JdbcIdempotencyStore.unwrap(ofManager) == dataSource;
    }
}
