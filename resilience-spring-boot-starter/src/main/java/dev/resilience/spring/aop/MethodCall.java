package dev.resilience.spring.aop;

import dev.resilience.pipeline.Invocation;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of an intercepted method.
 *
 * <p>Spring's invocation can proceed once. Where a plan retries, every attempt proceeds on a clone of the untouched
 * invocation; the clone shares the array of arguments, which saves copying it.
 *
 * <p>Aspects further in look for the invocation on their thread, where an interceptor that stands outside of this advice
 * has put it; on another thread than the caller's it is put there here.
 */
final class MethodCall implements Invocation {

    private final MethodInvocation invocation;
    private final boolean repeatable;
    private final Thread caller = Thread.currentThread();

    MethodCall(MethodInvocation invocation, boolean repeatable) {
        this.invocation = invocation;
        this.repeatable = repeatable;
    }

    @Override
    public @Nullable Object proceed() throws Throwable {
        MethodInvocation once = repeatable && invocation instanceof ProxyMethodInvocation original
                ? original.invocableClone(invocation.getArguments())
                : invocation;
        return Thread.currentThread() == caller ? once.proceed() : ExposeInvocationInterceptor.INSTANCE.invoke(once);
    }

    @Override
    public @Nullable Object[] arguments() {
        return invocation.getArguments();
    }

    /** The bean behind the proxy. */
    @Nullable
    Object target() {
        return invocation.getThis();
    }
}
