package dev.resilience.spring.weaving;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * A call of a woven method as proxies know calls. It can proceed again and again, and on any thread.
 *
 * @param call as AspectJ knows it
 */
record WovenInvocation(ProceedingJoinPoint call) implements MethodInvocation {

    @Override
    public Method getMethod() {
        return ((MethodSignature) call.getSignature()).getMethod();
    }

    @Override
    public @Nullable Object[] getArguments() {
        return call.getArgs();
    }

    @Override
    public @Nullable Object proceed() throws Throwable {
        return call.proceed();
    }

    @Override
    public @Nullable Object getThis() {
        return call.getThis();
    }

    @Override
    public AccessibleObject getStaticPart() {
        return getMethod();
    }
}
