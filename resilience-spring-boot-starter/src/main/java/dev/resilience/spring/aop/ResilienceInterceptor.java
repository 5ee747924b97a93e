package dev.resilience.spring.aop;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The one advice: looks up the plan of the method and runs it. */
final class ResilienceInterceptor implements MethodInterceptor {

    private final MethodPlans plans;

    ResilienceInterceptor(MethodPlans plans) {
        this.plans = plans;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        MethodPlan plan = plans.plan(invocation);
        return plan == null ? invocation.proceed() : plan.run(invocation);
    }
}
