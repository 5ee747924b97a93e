package dev.resilience.spring.aop;

import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Every idempotent method. */
class IdempotentPointcut extends StaticMethodMatcherPointcut {

    private final ProtectedMethods methods;

    IdempotentPointcut(ProtectedMethods methods) {
        this.methods = methods;
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        Protection protection = methods.of(method, targetClass);
        return protection != null && protection.idempotent() != null;
    }
}
