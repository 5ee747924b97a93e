package dev.resilience.spring.aop;

import dev.resilience.spring.aop.method.IdempotentPointcut;
import dev.resilience.spring.idempotency.CallIdentity;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AbstractPointcutAdvisor;

/**
 * Stands outside of {@code @Async} on the proxies of idempotent methods, where the caller is still known, and tells the
 * {@link ResilienceAdvisor} by the invocation who it is.
 */
final class CallerAdvisor extends AbstractPointcutAdvisor {

    /** Under which the identity of a call is attached to Spring's invocation. */
    static final String IDENTITY = CallerAdvisor.class.getName() + ".identity";

    private final transient MethodPlans plans;
    private final transient Pointcut pointcut;

    CallerAdvisor(ResilienceAdvisor inner) {
        this.plans = inner.plans();
        this.pointcut = IdempotentPointcut.all(inner.methods());
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return (MethodInterceptor) this::invoke;
    }

    private @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        MethodPlan plan = plans.plan(invocation);
        if (plan != null
                && plan.operation() != null
                && plan.publishers() == null // otherwise each subscription is a call, and knows its caller itself
                && invocation instanceof ProxyMethodInvocation ofProxy) {
            ofProxy.setUserAttribute(IDENTITY, CallIdentity.of(plan.operation(), invocation.getArguments()));
        }
        return invocation.proceed();
    }
}
