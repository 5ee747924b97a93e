package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.idempotency.attempt.AttemptRecorder;
import dev.resilience.spring.idempotency.attempt.AttemptRecorder.Attempt;
import dev.resilience.spring.retry.OpenTransactions;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

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
        AttemptRecorder recorder = invocation instanceof ProxyMethodInvocation ofProxy
                        && ofProxy.getUserAttribute(ATTEMPT_RECORDER) instanceof AttemptRecorder attached
                ? attached
                : null;
        if (recorder == null) {
            return invocation.proceed();
        }
        AttemptRecorder.Attempt attempt = recorder.begin();
        if (attempt.isAnswered()) {
            return attempt.earlierAnswer();
        }
        Object result;
        try {
            result = invocation.proceed();
        } catch (Throwable failure) {
            attempt.threw(failure);
            throw failure;
        }
        attempt.returned(result);
        RollbackReporter.reportRollback(attempt);
        return result;
    }

    /**
     * Reports that the transaction of an attempt was rolled back although its body returned, where the store does not write in
     * that transaction. Needs Spring's transactions on the class path.
     */
    private static final class RollbackReporter implements TransactionSynchronization {

        private final Attempt attempt;

        RollbackReporter(Attempt attempt) {
            this.attempt = attempt;
        }

        /** To be called when the body has returned, on its thread and in its transaction, if it has one. */
        static void reportRollback(Attempt attempt) {
            boolean isOpen = TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.isSynchronizationActive();
            if (!isOpen || !attempt.hearsNothingOfTransaction()) {
                return;
            }
            if (OpenTransactions.isRollbackOnly()) {
                attempt.undone(); // now: the call may end before its transaction does, and its result is kept then
            } else {
                TransactionSynchronizationManager.registerSynchronization(new RollbackReporter(attempt));
            }
        }

        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_ROLLED_BACK) {
                attempt.undone();
            }
        }
    }
}
