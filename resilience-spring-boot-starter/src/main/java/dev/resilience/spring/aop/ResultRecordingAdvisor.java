package dev.resilience.spring.aop;

import dev.resilience.idempotency.AttemptRecorder;
import dev.resilience.spring.aop.method.IdempotentPointcut;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * Stands next to the body of every idempotent method, inside of its transaction, where its result can be written
 * before the transaction is committed. The {@link ResilienceAdvisor} stands outside of the transaction and tells it
 * by the invocation which call it serves.
 *
 * <p>A stage is not ended when the transaction is, so methods that return one are left out.
 */
public final class ResultRecordingAdvisor extends AbstractPointcutAdvisor {

    /** Under which the running call is attached to Spring's invocation. */
    static final String ATTEMPT_RECORDER = ResultRecordingAdvisor.class.getName() + ".body";

    private final transient Pointcut pointcut;

    public ResultRecordingAdvisor(ResilienceAdvisor outer) {
        this.pointcut = IdempotentPointcut.blocking(outer.methods());
        setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return (MethodInterceptor) ResultRecordingAdvisor::invoke;
    }

    private static @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        AttemptRecorder recorder = invocation instanceof ProxyMethodInvocation ofProxy
                        && ofProxy.getUserAttribute(ATTEMPT_RECORDER) instanceof AttemptRecorder attached
                ? attached
                : null;
        if (recorder == null) {
            return invocation.proceed();
        }
        AttemptRecorder.Attempt attempt = recorder.begin();
        AttemptRecorder.EarlierAnswer earlier = attempt.earlierAnswer();
        if (earlier != null) {
            return earlier.get();
        }
        Object result;
        try {
            result = invocation.proceed();
        } catch (Throwable failure) {
            attempt.threw(failure);
            throw failure;
        }
        attempt.returned(result);
        UndoneAttempt.reportRollback(attempt);
        return result;
    }
}
