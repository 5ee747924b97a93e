package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.kind.MethodNames;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;

/**
 * Adds to the proxies of idempotent methods what the advice cannot know: the name of a bean whose class does not tell it
 * from others, and the caller where {@code @Async} moves the call to another thread first. Wherever {@code @Async} moves a
 * protected call, its context goes along.
 *
 * <p>Has no order, and so comes after Spring's post-processors, which have one.
 */
public final class IdempotentBeans implements SmartInstantiationAwareBeanPostProcessor {

    /** Its name goes on with an identity hash, which is another one in every process. */
    private static final String INNER_BEAN = "(inner bean)";

    private final ResilienceAdvisor advisor;

    public IdempotentBeans(ResilienceAdvisor advisor) {
        this.advisor = advisor;
    }

    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        return postProcessAfterInitialization(bean, beanName);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof Advised proxy) {
            ResilienceAdvisor ours = ResilienceAdvisor.of(proxy);
            Object target = AopProxyUtils.getSingletonTarget(bean);
            if (ours != null) {
                complete(proxy, ours, beanName);
                AsyncExecutors.keepContext(proxy, ours.methods());
                if (target instanceof Advised inner) {
                    AsyncExecutors.keepContext(inner, ours.methods());
                }
            } else if (AsyncExecutors.areIn(proxy) && target instanceof SpringProxy inner) {
                refuse(inner.getClass());
                AsyncExecutors.keepContext(proxy, advisor.methods());
            }
        }
        return bean;
    }

    private static void complete(Advised proxy, ResilienceAdvisor ours, String beanName) {
        Class<?> type = proxy.getTargetSource().getTargetClass();
        if (type == null || proxy.isFrozen() || !ours.methods().areIdempotentIn(type)) {
            return;
        }
        ResilienceAdvisor completed = ours;
        if (ProtectedMethods.isMadeAtRunTime(type) && !beanName.startsWith(INNER_BEAN)) {
            completed = ours.forBean(
                    ScopedProxyUtils.isScopedTarget(beanName)
                            ? ScopedProxyUtils.getOriginalBeanName(beanName)
                            : beanName,
                    type);
            proxy.replaceAdvisor(ours, completed);
        }
        if (AsyncExecutors.areIn(proxy)) {
            proxy.addAdvisor(0, new CallerAdvisor(completed));
        }
    }

    /** The invocation of one proxy cannot be told anything by the other one. */
    private void refuse(Class<?> type) {
        advisor.methods().of(type).forEach((method, protection) -> {
            if (protection.has(Idempotent.class)) {
                advisor.mistakes()
                        .add(new ResilienceConfigurationException(
                                "The method " + MethodNames.full(method, ProtectedMethods.written(type, method))
                                        + " is @Idempotent, and @Async stands around it on a proxy of its own: the call "
                                        + "would be claimed on a thread that does not know who is calling",
                                "Let Spring add @Async to the proxy that is there: it must be neither opaque nor frozen. "
                                        + "Or write a bean with the @Async method, which calls the idempotent one."));
            }
        });
    }
}
