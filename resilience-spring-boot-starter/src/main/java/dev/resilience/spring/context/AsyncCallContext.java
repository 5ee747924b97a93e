package dev.resilience.spring.context;

import dev.resilience.context.CallContext;
import java.util.function.Predicate;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Takes the context of a call along to the executor on which Spring's {@code @Async} runs it: the deadline, the attempt
 * and the idempotent call around it. Stands in place of Spring's advice, to which it hands each invocation.
 *
 * <p>A method that returns nothing is not waited for: its call is a part of no other one, and has no context. One that the
 * executor has put in place itself, by a decorator of its tasks, counts in place of the caller's.
 */
public final class AsyncCallContext implements MethodInterceptor {

    private final MethodInterceptor async;
    private final Predicate<MethodInvocation> isProtected;

    /**
     * @param async Spring's advice
     * @param isProtected whether a call is one of this library's; others are left as they are
     */
    public AsyncCallContext(MethodInterceptor async, Predicate<MethodInvocation> isProtected) {
        this.async = async;
        this.isProtected = isProtected;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        CallContext context = CallContext.current();
        boolean goesAlong = !context.equals(CallContext.NONE)
                && invocation.getMethod().getReturnType() != void.class
                && isProtected.test(invocation);
        return async.invoke(goesAlong ? new Moved(invocation, context) : invocation);
    }

    private static final class Moved extends ForwardedInvocation {

        private final CallContext context;

        Moved(MethodInvocation original, CallContext context) {
            super(original);
            this.context = context;
        }

        /** On the executor's thread. */
        @Override
        public @Nullable Object proceed() throws Throwable {
            if (!CallContext.current().equals(CallContext.NONE)) {
                return original.proceed();
            }
            context.makeCurrent();
            try {
                return original.proceed();
            } finally {
                CallContext.NONE.makeCurrent();
            }
        }
    }
}
