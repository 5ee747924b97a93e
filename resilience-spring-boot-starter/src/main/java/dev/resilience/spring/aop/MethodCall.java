package dev.resilience.spring.aop;

import dev.resilience.pipeline.Invocation;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * One call of an intercepted method.
 *
 * <p>Spring's invocation can proceed once. Where a plan retries, every attempt proceeds on a clone of the untouched
 * invocation; the clone shares the array of arguments, which saves copying it.
 */
final class MethodCall implements Invocation {

    private final MethodInvocation invocation;
    private final boolean repeatable;

    MethodCall(MethodInvocation invocation, boolean repeatable) {
        this.invocation = invocation;
        this.repeatable = repeatable;
    }

    @Override
    public @Nullable Object proceed() throws Throwable {
        if (repeatable && invocation instanceof ProxyMethodInvocation original) {
            return original.invocableClone(invocation.getArguments()).proceed();
        }
        return invocation.proceed();
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
