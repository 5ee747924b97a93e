package dev.resilience.spring.idempotency.jdbc.check;

import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotentMethodCheck;
import dev.resilience.spring.idempotency.jdbc.JdbcIdempotencyStore;
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
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.objenesis.ObjenesisException;
import org.springframework.objenesis.SpringObjenesis;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.NoRollbackRuleAttribute;
import org.springframework.transaction.interceptor.RollbackRuleAttribute;
import org.springframework.transaction.interceptor.RuleBasedTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of {@code @Transactional} methods whose result cannot be written in their transaction, so that a crash between
 * the two commits lets the effect happen again, and of those that commit and free their key with the same exception.
 */
public final class TransactionCheck implements IdempotentMethodCheck {

    private static final SpringObjenesis OBJENESIS = new SpringObjenesis();

    private final JdbcIdempotencyStore store;
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
        this.store = store;
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
        String why =
                asynchronous ? "it returns a stage, which ends after the transaction" : whyNotWritten(attribute, type);
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
            List<String> excepted = excepted(attribute);
            checkExcepted(excepted, type, name, policy);
            checkDeclared(method, excepted, name, policy, attribute);
        }
    }

    private void checkDeclared(
            Method method,
            List<String> excepted,
            String name,
            IdempotencyPolicy policy,
            TransactionAttribute attribute) {
        for (Class<?> thrown : method.getExceptionTypes()) {
            if (!excepted.contains(thrown.getName())
                    && !isReplayed(thrown, policy)
                    && commitsAfter(thrown, attribute)) {
                warnOfCommit(
                        name,
                        thrown.getName(),
                        "Roll back with @Transactional(rollbackFor = " + thrown.getSimpleName() + ".class)");
            }
        }
    }

    private void checkExcepted(List<String> excepted, Class<?> type, String name, IdempotencyPolicy policy) {
        for (String thrown : excepted) {
            if (!isReplayed(thrown, type, policy)) {
                warnOfCommit(name, thrown, "Take it out of the exceptions that do not roll back");
            }
        }
    }

    /** The exceptions that are said not to roll back, whether the method declares them or not. */
    private static List<String> excepted(TransactionAttribute attribute) {
        return attribute instanceof RuleBasedTransactionAttribute ruled
                ? ruled.getRollbackRules().stream()
                        .filter(NoRollbackRuleAttribute.class::isInstance)
                        .map(RollbackRuleAttribute::getExceptionName)
                        .toList()
                : List.of();
    }

    private void warnOfCommit(String name, String thrown, String cure) {
        warnings.add("The transaction of the @Idempotent method " + name + " is committed when it throws " + thrown
                + ", and its key is free again: a repeated call has its effect a second time. " + cure
                + ", or list the exception in 'replay-exceptions'");
    }

    private static boolean isReplayed(Class<?> thrown, IdempotencyPolicy policy) {
        return policy.replayExceptions().stream().anyMatch(replayed -> replayed.isAssignableFrom(thrown));
    }

    /** A rule may have the name of a class, or a part of one or more. */
    private static boolean isReplayed(String thrown, Class<?> type, IdempotencyPolicy policy) {
        try {
            return isReplayed(ClassUtils.forName(thrown, type.getClassLoader()), policy);
        } catch (ClassNotFoundException | LinkageError unknown) {
            return policy.replayExceptions().stream()
                    .anyMatch(replayed -> replayed.getName().contains(thrown));
        }
    }

    /** Spring's rules tell of instances alone; this one is made without a constructor, whose arguments are unknown. */
    private static boolean commitsAfter(Class<?> thrown, TransactionAttribute attribute) {
        try {
            return !attribute.rollbackOn((Throwable) OBJENESIS.newInstance(thrown));
        } catch (ObjenesisException | LinkageError unmade) { // it is abstract, or this is a native image
            return false;
        }
    }

    private @Nullable String whyNotWritten(TransactionAttribute attribute, Class<?> type) {
        if (attribute.isReadOnly()) {
            return "the transaction is read-only";
        }
        if (attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NOT_SUPPORTED
                || attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NEVER) {
            return "the method runs outside of transactions";
        }
        TransactionManager manager = manager(attribute, type);
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

    private @Nullable TransactionManager manager(TransactionAttribute attribute, Class<?> type) {
        try {
            return new Choice(beans).of(attribute, type);
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

    /** Spring's own choice among transaction managers, by the method, the class, the configuration or the beans. */
    private static final class Choice extends TransactionAspectSupport {

        Choice(ConfigurableListableBeanFactory beans) {
            setBeanFactory(beans);
            TransactionInterceptor advice =
                    beans.getBeanProvider(TransactionInterceptor.class).getIfUnique();
            setTransactionManager(advice == null ? null : advice.getTransactionManager());
        }

        @Nullable
        TransactionManager of(TransactionAttribute attribute, Class<?> type) {
            return determineTransactionManager(attribute, type);
        }
    }
}
