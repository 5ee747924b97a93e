package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.idempotency.attempt.AttemptRecorder;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;

/**
 * Stands next to the body of every idempotent method, inside its transaction, where its result can be written
 * before the transaction is committed: its order is the lowest precedence, as it is by default. The {@link
 * ResilienceAdvisor} stands outside the transaction and tells it by the invocation which call it serves.
 *
 * <p>A stage is not ended when the transaction is, so methods that return one are left out.
 */
public final class ResultRecordingAdvisor extends StaticMethodMatcherPointcutAdvisor {

    /** Under which the running call is attached to Spring's invocation. */
    static final String ATTEMPT_RECORDER = ResultRecordingAdvisor.class.getName() + ".body";

    private final transient ProtectedMethods methods;

    public ResultRecordingAdvisor(ResilienceAdvisor outer) {
        super((MethodInterceptor) ResultRecordingAdvisor::invoke);
        this.methods = outer.methods();
    }

    /** Idempotent methods that have their result when they return. */
    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        ResilienceAnnotations protection = methods.of(method, targetClass);
        return protection != null
                && protection.has(Idempotent.class)
                && !ReturnTypes.isAsynchronous(method, ProtectedMethods.written(targetClass, method));
    }

    private static @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        return invocation instanceof ProxyMethodInvocation ofProxy
                        && ofProxy.getUserAttribute(ATTEMPT_RECORDER) instanceof AttemptRecorder recorder
                ? recorder.run(invocation::proceed)
                : invocation.proceed();
    }
}
