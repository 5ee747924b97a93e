package dev.resilience.spring.aop;

import dev.resilience.spring.idempotency.CallIdentity;
import dev.resilience.spring.idempotency.MovedCall;
import dev.resilience.spring.kind.ProtectedCall;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.reactor.PublisherCall;
import dev.resilience.spring.transaction.RollbackMarks;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.util.ClassUtils;

/**
 * One call of an intercepted method.
 *
 * <p>Spring's invocation can proceed once, unless this advice is the {@link AdviceChainPosition}. Where a plan retries and it is
 * not, every attempt proceeds on a clone of the untouched invocation; the clone shares the array of arguments, which
 * saves copying it.
 *
 * <p>Where a thread waits for the method's stage anyway, what counts as the method's result is what the stage holds.
 *
 * <p>Inner aspects look for the invocation on their thread, where an interceptor that stands outside of this advice
 * has put it; on another thread than the caller's, and when a publisher is subscribed to, it is put there here.
 */
final class MethodCall implements MovedCall, ProtectedCall {

    private static final boolean KNOWS_TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.interceptor.TransactionAspectSupport", MethodCall.class.getClassLoader());

    private final MethodInvocation invocation;
    private final MethodPlan plan;
    private final boolean clones;
    private final boolean awaitsStages;
    private final @Nullable PublisherCall publisher;
    private final @Nullable Object seenAtAssembly;
    private final Thread caller = Thread.currentThread();
    private boolean isRecorded;
    private volatile boolean proceeded; // the next attempt may come on another thread, before a deaf one has ended

    MethodCall(MethodInvocation invocation, MethodPlan plan, boolean clones, boolean awaitsStages) {
        this(invocation, plan, clones, awaitsStages, null, null);
    }

    /** The call that a subscription is. */
    MethodCall(
            MethodInvocation invocation,
            MethodPlan plan,
            boolean clones,
            PublisherCall publisher,
            @Nullable Object seenAtAssembly) {
        this(invocation, plan, clones, false, publisher, seenAtAssembly);
    }

    private MethodCall(
            MethodInvocation invocation,
            MethodPlan plan,
            boolean clones,
            boolean awaitsStages,
            @Nullable PublisherCall publisher,
            @Nullable Object seenAtAssembly) {
        this.invocation = invocation;
        this.plan = plan;
        this.clones = clones;
        this.awaitsStages = awaitsStages;
        this.publisher = publisher;
        this.seenAtAssembly = seenAtAssembly;
    }

    @Override
    public @Nullable Object proceed() throws Throwable {
        MethodInvocation once = clones && invocation instanceof ProxyMethodInvocation original
                ? original.invocableClone(invocation.getArguments())
                : invocation;
        if (proceeded && !clones && !plan.innermost().isStillAt(invocation)) {
            throw new IllegalStateException("This call cannot be repeated: advice was added to the proxy of "
                    + invocation.getMethod() + " while the application runs. The next call can be");
        }
        proceeded = true;
        Object returned = isRecorded ? RollbackMarks.runMethod(() -> proceed(once)) : proceed(once);
        return publisher == null ? result(returned) : publisher.begin(returned);
    }

    private @Nullable Object proceed(MethodInvocation once) throws Throwable {
        boolean isWithinChain = publisher == null && Thread.currentThread() == caller;
        return isWithinChain ? once.proceed() : ExposeInvocationInterceptor.INSTANCE.invoke(once);
    }

    @Override
    public @Nullable Object result(@Nullable Object returned) throws Throwable {
        if (publisher != null) {
            return publisher.answer(returned);
        }
        return awaitsStages ? StageResult.await(returned) : returned;
    }

    @Override
    public boolean endAttempt() {
        return publisher != null && publisher.endAttempt();
    }

    /** For the {@link ResultRecordingAdvisor}; the clones of an invocation share what is attached to it. */
    @Override
    public void attach(Object forTheBody) {
        if (invocation instanceof ProxyMethodInvocation ofProxy) {
            ofProxy.setUserAttribute(ResultRecordingAdvisor.ATTEMPT_RECORDER, forTheBody);
            isRecorded = KNOWS_TRANSACTIONS;
        }
    }

    @Override
    public @Nullable CallIdentity identity() {
        return invocation instanceof ProxyMethodInvocation ofProxy
                        && ofProxy.getUserAttribute(CallerAdvisor.IDENTITY) instanceof CallIdentity asked
                ? asked
                : null;
    }

    @Override
    public boolean isMoved() {
        return plan.executors().areOutside(invocation);
    }

    @Override
    public @Nullable Object[] arguments() {
        return publisher == null
                ? invocation.getArguments()
                : SuspendingFunctions.arguments(invocation.getMethod(), invocation.getArguments());
    }

    @Override
    public @Nullable Object continuation() {
        @Nullable Object[] all = invocation.getArguments();
        return SuspendingFunctions.is(invocation.getMethod()) ? all[all.length - 1] : null;
    }

    @Override
    public @Nullable Object exchange() {
        return publisher == null ? null : publisher.exchange();
    }

    @Override
    public @Nullable Object seenAtAssembly() {
        return seenAtAssembly;
    }

    @Override
    public @Nullable Object target() {
        return invocation.getThis();
    }
}
