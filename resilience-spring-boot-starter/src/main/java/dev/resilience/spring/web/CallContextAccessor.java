package dev.resilience.spring.web;

import dev.resilience.context.CallContext;
import dev.resilience.spring.reactor.ReactiveCallContext;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Lets Micrometer's context propagation, where it is on the class path, take the context of a call along: into Reactor
 * and out of it, and to the threads of task executors. Found through {@link java.util.ServiceLoader}.
 */
public final class CallContextAccessor implements ThreadLocalAccessor<CallContext> {

    @Override
    public Object key() {
        return ReactiveCallContext.KEY; // a constant: Reactor need not be there
    }

    @Override
    public @Nullable CallContext getValue() {
        CallContext current = CallContext.current();
        return current.equals(CallContext.NONE) ? null : current;
    }

    @Override
    public void setValue(CallContext value) {
        value.makeCurrent();
    }

    @Override
    public void setValue() {
        CallContext.NONE.makeCurrent();
    }
}
