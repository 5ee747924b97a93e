package dev.resilience.spring.aop;

import dev.resilience.spring.StartupMistakes;
import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Puts the advice around every protected method.
 *
 * <p>An advisor is made before almost every other bean, so it holds nothing but a provider, and asks it when the first
 * method is called or when all singletons are there, whichever comes first.
 */
public final class ResilienceAdvisor extends AbstractPointcutAdvisor {

    private final transient ProtectedMethods methods;
    private final transient MethodPlans plans;
    private final transient ResilienceInterceptor advice;
    private final transient Pointcut pointcut;

    /**
     * @param mistakes as long as it has any, no call is let through
     */
    public ResilienceAdvisor(
            ProtectedMethods methods, ObjectProvider<PlanFactory> factory, StartupMistakes mistakes, int order) {
        this.methods = methods;
        this.plans = new MethodPlans(methods, factory, mistakes);
        this.advice = new ResilienceInterceptor(plans);
        this.pointcut = new ProtectedPointcut();
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    ProtectedMethods methods() {
        return methods;
    }

    MethodPlans plans() {
        return plans;
    }

    private final class ProtectedPointcut extends StaticMethodMatcherPointcut {

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return methods.of(method, targetClass) != null;
        }
    }
}
