package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotentMethods;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
import org.springframework.core.Ordered;

/**
 * Looks at each bean with annotated methods when it is made. Where no proxy can intercept them the startup ends at once, with
 * all other problems that can be found by then, so that no other bean calls them unprotected while the rest starts.
 *
 * <p>Tells the advice the name of the bean, which its class alone does not tell, and refuses idempotent methods that {@code
 * @Async} moves to other threads, by whatever annotation {@code @EnableAsync} names. Warns about retried methods whose attempts
 * share a transaction or a look-up in a cache, because of the order of advice.
 *
 * <p>Has no order, and so comes after Spring's post-processors, which have one.
 */
public final class ProtectedBeanPostProcessor implements SmartInstantiationAwareBeanPostProcessor {

    /** Its name goes on with an identity hash, which is another one in every process. */
    private static final String INNER_BEAN = "(inner bean)";

    /** Advice of Spring that belongs inside each attempt, by the names of classes that an application need not have. */
    private static final Map<String, String> OF_ATTEMPTS = Map.of(
            "org.springframework.transaction.interceptor.TransactionAspectSupport", "transaction",
            "org.springframework.cache.interceptor.CacheAspectSupport", "cache look-up");

    private final ResilienceAdvisor advisor;
    private final StartupWarnings warnings;
    private final ObjectProvider<StartupChecks> checks;

    /**
     * @param checks run when a bean is made during the startup that cannot be protected; afterwards the bean itself fails
     */
    public ProtectedBeanPostProcessor(
            ResilienceAdvisor advisor, StartupWarnings warnings, ObjectProvider<StartupChecks> checks) {
        this.advisor = advisor;
        this.warnings = warnings;
        this.checks = checks;
    }

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
            warnOfSharedAttempts(proxy, type);
            for (Object at = proxy; at instanceof Advised level; at = AopProxyUtils.getSingletonTarget(level)) {
                complete(level, beanName);
                refuseMoved(level, type);
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

    private void refuseMoved(Advised proxy, Class<?> type) {
        for (Advisor other : proxy.getAdvisors()) {
            if (other.getAdvice() instanceof AsyncExecutionInterceptor) {
                advisor.methods().of(type).forEach((method, protection) -> {
                    if (protection.has(Idempotent.class) && matches(other, method, type)) {
                        String name = MethodNames.full(method, ProtectedMethods.written(type, method));
                        advisor.problems().add(IdempotentMethods.besideAsync(name));
                    }
                });
            }
        }
    }

    /** Looks at the advisors in the order in which a call passes them, through proxies of proxies as well. */
    private void warnOfSharedAttempts(Advised proxy, Class<?> type) {
        List<Advisor> outer = new ArrayList<>();
        boolean isInOtherProxy = false;
        for (Object at = proxy; at instanceof Advised level; at = AopProxyUtils.getSingletonTarget(level)) {
            isInOtherProxy = !outer.isEmpty();
            for (Advisor each : level.getAdvisors()) {
                if (each instanceof ResilienceAdvisor ours) {
                    warnOfSharedAttempts(outer, isInOtherProxy, ours, type);
                } else if (ofAttempts(each) != null) {
                    outer.add(each);
                }
            }
        }
    }

    private void warnOfSharedAttempts(
            List<Advisor> outer, boolean isInOtherProxy, ResilienceAdvisor ours, Class<?> type) {
        advisor.methods().of(type).forEach((method, protection) -> {
            List<Advisor> shared =
                    outer.stream().filter(each -> matches(each, method, type)).toList();
            if (!shared.isEmpty() && protection.has(Retryable.class)) {
                int first = order(shared.get(0));
                boolean canMove = !isInOtherProxy && first > Ordered.HIGHEST_PRECEDENCE;
                warnings.add("The method " + MethodNames.full(method, ProtectedMethods.written(type, method))
                        + " has @Retryable (order " + ours.getOrder() + "), whose attempts are all made inside "
                        + shared.stream()
                                .map(each -> "one " + ofAttempts(each) + " (order " + order(each) + ")")
                                .collect(Collectors.joining(" and "))
                        + ". " + (canMove ? "Set 'resilience.advice-order: " + (first - 1) + "', or use" : "Use")
                        + " @EnableTransactionManagement or @EnableCaching without an order"
                        + (isInOtherProxy ? " in place of a proxy of its own around the bean" : ""));
            }
        });
    }

    private static int order(Advisor advisor) {
        return advisor instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
    }

    private static @Nullable String ofAttempts(Advisor advisor) {
        Class<?> type = advisor.getAdvice().getClass();
        while (type != null && !OF_ATTEMPTS.containsKey(type.getName())) {
            type = type.getSuperclass();
        }
        return type == null ? null : OF_ATTEMPTS.get(type.getName());
    }

    static boolean matches(Advisor advisor, Method method, Class<?> type) {
        return !(advisor instanceof PointcutAdvisor some)
                || (some.getPointcut().getClassFilter().matches(type)
                        && some.getPointcut().getMethodMatcher().matches(method, type));
    }
}
