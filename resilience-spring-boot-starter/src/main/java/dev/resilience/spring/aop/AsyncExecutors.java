package dev.resilience.spring.aop;

import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.context.AsyncCallContext;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;

/**
 * Whether a method that returns a future runs on a thread of Spring's {@code @Async}. Spring puts that advice outside of
 * all other, and its thread waits for the method's future, blocked, however long it takes: so attempts, and the waits
 * between them, cost nothing more on this very thread, and the method never leaves its executor.
 */
public final class AsyncExecutors {

    private volatile Known known = new Known(new WeakReference<>(null), false);

    /** The proxy that was looked at last: a method of a singleton needs one look. */
    private record Known(WeakReference<@Nullable Object> proxy, boolean runsThere) {}

    /** Whether a proxy has advice of {@code @Async}. */
    public static boolean areIn(Advised proxy) {
        return Arrays.stream(proxy.getAdvisors()).anyMatch(AsyncExecutors::isAsync);
    }

    /**
     * Whether a call is moved to an executor when it has passed this library's advice: by advice inside of it on the proxy,
     * or on a proxy that is the target of this one.
     */
    public static boolean areInside(Advised proxy, Method method, Class<?> type) {
        boolean isInside = false;
        for (Advisor advisor : proxy.getAdvisors()) {
            if (isInside && isAsync(advisor) && matches(advisor, method, type)) {
                return true;
            }
            isInside |= advisor instanceof ResilienceAdvisor;
        }
        return AopProxyUtils.getSingletonTarget(proxy) instanceof Advised inner
                && Arrays.stream(inner.getAdvisors())
                        .anyMatch(advisor -> isAsync(advisor) && matches(advisor, method, type));
    }

    /** Lets the calls of protected methods that advice of {@code @Async} on a proxy moves keep their context. */
    static void keepContext(Advised proxy, ProtectedMethods methods) {
        for (Advisor advisor : proxy.getAdvisors()) {
            if (!proxy.isFrozen() && advisor.getAdvice() instanceof AsyncExecutionInterceptor async) {
                AsyncCallContext keeping =
                        new AsyncCallContext(async, call -> methods.of(call.getMethod(), type(call)) != null);
                Pointcut pointcut = advisor instanceof PointcutAdvisor some ? some.getPointcut() : Pointcut.TRUE;
                proxy.replaceAdvisor(advisor, new DefaultPointcutAdvisor(pointcut, keeping));
            }
        }
    }

    /**
     * Whether this invocation was moved to an executor, so that its thread waits for the future that the method returns.
     */
    boolean areOutside(MethodInvocation invocation) {
        if (!(invocation instanceof ProxyMethodInvocation ofProxy)) {
            return false;
        }
        Object proxy = ofProxy.getProxy();
        Known last = known;
        if (!last.proxy.refersTo(proxy)) {
            boolean runsThere = proxy instanceof Advised advised && isOutsideOfOurs(advised.getAdvisors(), invocation);
            last = new Known(new WeakReference<>(proxy), runsThere);
            known = last;
        }
        return last.runsThere;
    }

    private static boolean isOutsideOfOurs(Advisor[] advisors, MethodInvocation invocation) {
        Class<?> type = type(invocation);
        for (Advisor advisor : advisors) {
            if (advisor instanceof ResilienceAdvisor) {
                return false;
            }
            if (isAsync(advisor) && matches(advisor, invocation.getMethod(), type)) {
                return true;
            }
        }
        return false;
    }

    private static Class<?> type(MethodInvocation invocation) {
        Object target = invocation.getThis();
        return target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
    }

    private static boolean isAsync(Advisor advisor) {
        return advisor.getAdvice() instanceof AsyncExecutionInterceptor
                || advisor.getAdvice() instanceof AsyncCallContext;
    }

    private static boolean matches(Advisor advisor, Method method, Class<?> type) {
        return !(advisor instanceof PointcutAdvisor some)
                || (some.getPointcut().getClassFilter().matches(type)
                        && some.getPointcut().getMethodMatcher().matches(method, type));
    }
}
