package dev.resilience.spring.context;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Another invocation, which proceeds in a way of its own. */
public abstract class ForwardedInvocation implements MethodInvocation {

    protected final MethodInvocation original;

    protected ForwardedInvocation(MethodInvocation original) {
        this.original = original;
    }

    @Override
    public final Method getMethod() {
        return original.getMethod();
    }

    @Override
    public final @Nullable Object[] getArguments() {
        return original.getArguments();
    }

    @Override
    public final @Nullable Object getThis() {
        return original.getThis();
    }

    @Override
    public final AccessibleObject getStaticPart() {
        return original.getStaticPart();
    }
}
