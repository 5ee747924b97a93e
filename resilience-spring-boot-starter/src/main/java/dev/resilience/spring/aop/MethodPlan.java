package dev.resilience.spring.aop;

import dev.resilience.pipeline.Pipeline;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * What a call of one protected method does, resolved once.
 *
 * @param pipeline the layers around the method
 * @param asynchronous whether the method returns a stage
 * @param repeats whether the method may be run more than once in a call
 * @param innermost whether an invocation can proceed more than once
 */
record MethodPlan(Pipeline pipeline, boolean asynchronous, boolean repeats, Innermost innermost) {

    MethodPlan(Pipeline pipeline, boolean asynchronous, boolean repeats) {
        this(pipeline, asynchronous, repeats, new Innermost());
    }

    @Nullable
    Object run(MethodInvocation invocation) throws Throwable {
        boolean clones = repeats && !innermost.isAt(invocation);
        MethodCall call = new MethodCall(invocation, innermost, clones);
        return asynchronous ? pipeline.invokeAsync(call) : pipeline.invoke(call);
    }
}
