package dev.resilience.spring.aop;

import static dev.resilience.spring.WarningId.ASYNC_INSIDE_PROTECTION;
import static dev.resilience.spring.WarningId.RETRY_IN_TRANSACTION;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NESTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRES_NEW;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotentMethods;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.core.Ordered;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.ClassUtils;

/**
 * Looks at each bean with annotated methods when it is made. Where no proxy can intercept them the startup ends at once, with
 * all other problems that can be found by then, so that no other bean calls them unprotected while the rest starts.
 *
 * <p>Tells the advice the name of the bean, which its class alone does not tell, and refuses idempotent methods that {@code
 * @Async} moves to other threads, by whatever annotation {@code @EnableAsync} names. Warns about retried methods whose attempts
 * share a transaction or a look-up in a cache, and about protection that sees no more than the handing over of a call to another
 * thread, because of the order of advice.
 *
 * <p>Has no order, and so comes after Spring's post-processors, which have one.
 *
 * @param checks run when a bean is made during the startup that cannot be protected; afterwards the bean itself fails
 */
public record ProtectedBeanPostProcessor(
        ResilienceAdvisor advisor, StartupWarnings warnings, ObjectProvider<StartupChecks> checks)
        implements SmartInstantiationAwareBeanPostProcessor {

    /** Its name goes on with an identity hash, which is another one in every process. */
    private static final String INNER_BEAN = "(inner bean)";

    /** An application need not have them. */
    private static final boolean HAS_TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.interceptor.TransactionAspectSupport",
            ProtectedBeanPostProcessor.class.getClassLoader());

    /** Those under which a method may have a transaction of its own. */
    private static final Set<Integer> BEGIN =
            Set.of(PROPAGATION_REQUIRED, PROPAGATION_REQUIRES_NEW, PROPAGATION_NESTED);

    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        return postProcessAfterInitialization(bean, beanName);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (advisor.methods().areRefusedIn(bean.getClass())) {
            checks.getObject().run();
        }
        if (bean instanceof Advised proxy && isOursOrAround(proxy)) {
            Class<?> type = AopProxyUtils.ultimateTargetClass(proxy);
            checkOrder(proxy, type);
            for (Object at = proxy; at instanceof Advised level; at = AopProxyUtils.getSingletonTarget(level)) {
                complete(level, beanName);
            }
        }
        return bean;
    }

    /** A scoped proxy is neither: its target is looked at when that is made. */
    private static boolean isOursOrAround(Advised proxy) {
        return ResilienceAdvisor.of(proxy) != null || AopProxyUtils.getSingletonTarget(proxy) instanceof SpringProxy;
    }

    private static void complete(Advised proxy, String beanName) {
        ResilienceAdvisor ours = ResilienceAdvisor.of(proxy);
        Class<?> type = proxy.getTargetSource().getTargetClass();
        if (ours != null && type != null && !proxy.isFrozen() && !beanName.startsWith(INNER_BEAN)) {
            String name = ScopedProxyUtils.isScopedTarget(beanName)
                    ? ScopedProxyUtils.getOriginalBeanName(beanName)
                    : beanName;
            proxy.replaceAdvisor(ours, ours.forBean(name, type));
        }
    }

    /** Looks at the advisors in the order in which a call passes them, through proxies of proxies as well. */
    private void checkOrder(Advised proxy, Class<?> type) {
        List<Advisor> outer = new ArrayList<>();
        for (Object at = proxy; at instanceof Advised level; at = AopProxyUtils.getSingletonTarget(level)) {
            for (Advisor each : level.getAdvisors()) {
                if (each instanceof ResilienceAdvisor ours) {
                    warnOfSharedAttempts(outer, level, ours, type);
                } else if (each.getAdvice() instanceof AsyncExecutionInterceptor) {
                    checkMoved(each, outer, type);
                }
                outer.add(each);
            }
        }
    }

    private void checkMoved(Advisor async, List<Advisor> outer, Class<?> type) {
        advisor.methods().of(type).forEach((method, protection) -> {
            if (!matches(async, method, type)) {
                return;
            }
            String name = MethodNames.full(method, ProtectedMethods.written(type, method));
            if (protection.has(Idempotent.class)) {
                advisor.problems().add(IdempotentMethods.besideAsync(name));
            } else if (method.getReturnType() == void.class
                    && outer.stream().anyMatch(ResilienceAdvisor.class::isInstance)) {
                warnings.add(ASYNC_INSIDE_PROTECTION.of("The method " + name + " is handed over to another thread by "
                        + "@Async inside its protection, which sees nothing of how it ends. Use @EnableAsync without "
                        + "an order, or return a CompletableFuture"));
            }
        });
    }

    private void warnOfSharedAttempts(List<Advisor> outer, Advised proxy, ResilienceAdvisor ours, Class<?> type) {
        Class<?> intercepted = proxy.getTargetSource().getTargetClass(); // may be another proxy, before a final class
        advisor.methods().of(intercepted == null ? type : intercepted).forEach((method, protection) -> {
            List<Advisor> shared = outer.stream()
                    .filter(each -> shared(each, method, type) != null && matches(each, method, type))
                    .toList();
            if (!shared.isEmpty() && protection.has(Retryable.class)) {
                int first = order(shared.get(0));
                boolean isInOtherProxy = proxy.indexOf(shared.get(0)) < 0;
                boolean canMove = !isInOtherProxy && first > Ordered.HIGHEST_PRECEDENCE;
                warnings.add(RETRY_IN_TRANSACTION.of("The method "
                        + MethodNames.full(method, ProtectedMethods.written(type, method))
                        + " has @Retryable (order " + ours.getOrder() + "), whose attempts are all made inside "
                        + shared.stream()
                                .map(each -> "one " + shared(each, method, type) + " (order " + order(each) + ")")
                                .collect(Collectors.joining(" and "))
                        + ". "
                        + (canMove ? "Set 'resilience.advice-order: " + (first - 1) + "', or use" : "Use")
                        + " @EnableTransactionManagement or @EnableCaching without an order"
                        + (isInOtherProxy ? " in place of a proxy of its own around the bean" : "")));
            }
        });
    }

    /** What all attempts share if the advice stands outside them; no transaction where the method itself begins none. */
    private static @Nullable String shared(Advisor outer, Method method, Class<?> type) {
        if (HAS_TRANSACTIONS && outer.getAdvice() instanceof TransactionAspectSupport transactions) {
            TransactionAttributeSource source = transactions.getTransactionAttributeSource();
            TransactionAttribute attribute = source == null ? null : source.getTransactionAttribute(method, type);
            return attribute != null && BEGIN.contains(attribute.getPropagationBehavior()) ? "transaction" : null;
        }
        return outer.getAdvice() instanceof CacheAspectSupport ? "cache look-up" : null;
    }

    private static int order(Advisor advisor) {
        return advisor instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
    }

    static boolean matches(Advisor advisor, Method method, Class<?> type) {
        return !(advisor instanceof PointcutAdvisor some)
                || (some.getPointcut().getClassFilter().matches(type)
                        && some.getPointcut().getMethodMatcher().matches(method, type));
    }
}
