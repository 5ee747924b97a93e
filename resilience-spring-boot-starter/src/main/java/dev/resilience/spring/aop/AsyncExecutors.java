package dev.resilience.spring.aop;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;

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

    /** Whether advice of {@code @Async} on a proxy holds for a method. */
    public static boolean moves(Advised proxy, Method method, Class<?> type) {
        return Arrays.stream(proxy.getAdvisors())
                .anyMatch(advisor -> isAsync(advisor) && matches(advisor, method, type));
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
        Object target = invocation.getThis();
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
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

    private static boolean isAsync(Advisor advisor) {
        return advisor.getAdvice() instanceof AsyncExecutionInterceptor;
    }

    private static boolean matches(Advisor advisor, Method method, Class<?> type) {
        return !(advisor instanceof PointcutAdvisor some)
                || (some.getPointcut().getClassFilter().matches(type)
                        && some.getPointcut().getMethodMatcher().matches(method, type));
    }
}
