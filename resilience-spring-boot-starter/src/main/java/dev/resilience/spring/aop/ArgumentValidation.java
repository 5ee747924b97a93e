package dev.resilience.spring.aop;

import dev.resilience.spring.aop.method.IdempotentPointcut;
import dev.resilience.spring.context.ForwardedInvocation;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * Lets the arguments of idempotent methods be validated before their key is claimed. Spring puts its validation of
 * {@code @Validated} classes innermost of all. There it stays, for it also judges results, which is to be done before
 * they are stored and while a transaction can be rolled back.
 *
 * <p>Validator, groups and exceptions are those of Spring's own interceptor, which has no way to validate arguments alone.
 * So it is given an invocation that ends, by an exception, where the method would begin. Only proxies that already have
 * the advice of this library get one more.
 *
 * <p>Has no order, and so comes after Spring's post-processor, which has one.
 */
public final class ArgumentValidation implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof Advised proxy && !proxy.isFrozen()) {
            Advisor[] advisors = proxy.getAdvisors();
            for (int i = 0; i < advisors.length; i++) {
                if (advisors[i] instanceof ResilienceAdvisor ours) {
                    addBefore(i, ours, proxy);
                }
            }
        }
        return bean;
    }

    private static void addBefore(int place, ResilienceAdvisor ours, Advised proxy) {
        Arrays.stream(proxy.getAdvisors())
                .skip(place)
                .map(Advisor::getAdvice)
                .filter(MethodValidationInterceptor.class::isInstance)
                .map(MethodInterceptor.class::cast)
                .findFirst()
                .ifPresent(validation -> proxy.addAdvisor(
                        place,
                        new DefaultPointcutAdvisor(IdempotentPointcut.all(ours.methods()), new Advice(validation))));
    }

    private record Advice(MethodInterceptor validation) implements MethodInterceptor {

        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            if (invocation.getThis() != null) {
                try {
                    validation.invoke(new ArgumentsOf(invocation));
                } catch (AreValid goOn) {
                    // and the call too, but without validation of its result
                }
            }
            return invocation.proceed();
        }
    }

    /** An invocation that ends where its arguments are found to be valid. */
    private static final class ArgumentsOf extends ForwardedInvocation {

        ArgumentsOf(MethodInvocation invocation) {
            super(invocation);
        }

        @Override
        public Object proceed() throws AreValid {
            throw new AreValid();
        }
    }

    private static final class AreValid extends Exception {

        AreValid() {
            super(null, null, false, false);
        }
    }
}
