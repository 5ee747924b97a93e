package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.idempotency.IdempotentMethods;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;

/**
 * Looks at each bean with annotated methods when it is made. Where no proxy can intercept them the startup ends at once, with
 * all other problems that can be found by then, so that no other bean calls them unprotected while the rest starts.
 *
 * <p>Tells the advice of idempotent methods the name of a bean whose class does not tell it from others, and refuses those
 * that {@code @Async} moves to other threads, by whatever annotation {@code @EnableAsync} names.
 *
 * <p>Has no order, and so comes after Spring's post-processors, which have one.
 */
public final class ProtectedBeanPostProcessor implements SmartInstantiationAwareBeanPostProcessor {

    /** Its name goes on with an identity hash, which is another one in every process. */
    private static final String INNER_BEAN = "(inner bean)";

    private final ResilienceAdvisor advisor;
    private final ObjectProvider<StartupChecks> checks;

    /**
     * @param checks run when a bean is made during the startup that cannot be protected; afterwards the bean itself fails
     */
    public ProtectedBeanPostProcessor(ResilienceAdvisor advisor, ObjectProvider<StartupChecks> checks) {
        this.advisor = advisor;
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
            if (advisor.methods().areIdempotentIn(type)) {
                complete(proxy, beanName);
                refuseMoved(proxy, type);
                if (AopProxyUtils.getSingletonTarget(proxy) instanceof Advised inner) {
                    refuseMoved(inner, type);
                }
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
        if (ours != null
                && type != null
                && !proxy.isFrozen()
                && ProtectedMethods.isMadeAtRunTime(type)
                && !beanName.startsWith(INNER_BEAN)) {
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

    private static boolean matches(Advisor advisor, Method method, Class<?> type) {
        return !(advisor instanceof PointcutAdvisor some)
                || (some.getPointcut().getClassFilter().matches(type)
                        && some.getPointcut().getMethodMatcher().matches(method, type));
    }
}
