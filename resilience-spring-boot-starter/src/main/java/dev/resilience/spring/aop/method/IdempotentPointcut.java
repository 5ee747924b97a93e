package dev.resilience.spring.aop.method;

import dev.resilience.annotation.Idempotent;
import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Every idempotent method, or those alone that have their result when they return. */
public final class IdempotentPointcut extends StaticMethodMatcherPointcut {

    private final ProtectedMethods methods;
    private final boolean blockingOnly;

    private IdempotentPointcut(ProtectedMethods methods, boolean blockingOnly) {
        this.methods = methods;
        this.blockingOnly = blockingOnly;
    }

    public static IdempotentPointcut all(ProtectedMethods methods) {
        return new IdempotentPointcut(methods, false);
    }

    public static IdempotentPointcut blocking(ProtectedMethods methods) {
        return new IdempotentPointcut(methods, true);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        ResilienceAnnotations protection = methods.of(method, targetClass);
        return protection != null
                && protection.has(Idempotent.class)
                && !(blockingOnly && ReturnTypes.isAsynchronous(method, ProtectedMethods.written(targetClass, method)));
    }
}
