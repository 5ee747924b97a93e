package dev.resilience.spring.aop;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.reactor.ProtectedPublishers.PublisherType;
import dev.resilience.spring.weaving.ResilienceAspect;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;

/**
 * Puts the advice around every protected method.
 *
 * <p>An advisor is made before almost every other bean, so it holds nothing but a provider, and asks it when the first
 * method is called or when all singletons are there, whichever comes first.
 */
public final class ResilienceAdvisor extends StaticMethodMatcherPointcutAdvisor {

    private final transient ProtectedMethods methods;
    private final transient MethodPlans plans;
    private final transient ResilienceInterceptor advice;
    private final @Nullable String bean;

    /**
     * @param problems as long as it has any, no call is let through
     */
    public ResilienceAdvisor(
            ProtectedMethods methods, Supplier<PlanFactory> factory, StartupProblems problems, int order) {
        this(methods, new MethodPlans(methods, factory, problems, null), order, null);
        if (methods.areWoven()) {
            ResilienceAspect.begin(advice);
        }
    }

    private ResilienceAdvisor(ProtectedMethods methods, MethodPlans plans, int order, @Nullable String bean) {
        this.methods = methods;
        this.plans = plans;
        this.advice = new ResilienceInterceptor(plans);
        this.bean = bean;
        setAdvice(advice);
        setOrder(order);
        setClassFilter(type ->
                !methods.areWoven() && !methods.of(type).isEmpty()); // asked first: most classes have no such method
    }

    /** This library's advisor of a proxy; {@code null} if it has none. */
    public static @Nullable ResilienceAdvisor of(Advised proxy) {
        for (Advisor advisor : proxy.getAdvisors()) {
            if (advisor instanceof ResilienceAdvisor ours) {
                return ours;
            }
        }
        return null;
    }

    /** The name of the bean that a proxy is of, if this library's advisor knows it. */
    static @Nullable String beanOf(Advised proxy) {
        ResilienceAdvisor ours = of(proxy);
        return ours == null ? null : ours.bean;
    }

    /** The context is closed: woven methods are no longer its business. */
    public void end() {
        ResilienceAspect.end(advice);
    }

    /** One for the proxy of a bean, with plans of its own if the class of the bean is made at run time for others too. */
    ResilienceAdvisor forBean(String name, Class<?> type) {
        MethodPlans ofBean = ProtectedMethods.isMadeAtRunTime(type) ? plans.forBean(name, type) : plans;
        return new ResilienceAdvisor(methods, ofBean, getOrder(), name);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return methods.of(method, targetClass) != null;
    }

    public ProtectedMethods methods() {
        return methods;
    }

    StartupProblems problems() {
        return plans.problems;
    }

    MethodPlans plans() {
        return plans;
    }

    /** The one advice: looks up the plan of the method and runs it. */
    static final class ResilienceInterceptor implements MethodInterceptor {

        private final MethodPlans plans;

        ResilienceInterceptor(MethodPlans plans) {
            this.plans = plans;
        }

        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            MethodPlan plan;
            try {
                plan = plans.plan(invocation);
            } catch (ResilienceConfigurationException problem) {
                Method method = invocation.getMethod();
                PublisherType publisher = ReturnTypes.publisher(method, method.getDeclaringClass());
                if (publisher == null) {
                    throw problem;
                }
                return publisher.failing(problem); // Spring calls a @Scheduled method early, and hides what that throws
            }
            return plan == null ? invocation.proceed() : plan.run(invocation);
        }
    }
}
