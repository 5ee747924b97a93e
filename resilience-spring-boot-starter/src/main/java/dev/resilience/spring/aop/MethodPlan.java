package dev.resilience.spring.aop;

import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.idempotency.IdempotentMethod;
import dev.resilience.spring.kind.ProtectedCall;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.reactor.ProtectedPublishers;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopContext;
import org.springframework.aop.framework.DefaultAdvisorChainFactory;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.util.ReflectionUtils;

/**
 * What a call of one protected method does, resolved once.
 *
 * @param pipeline the layers around the method
 * @param operation what the calls of an idempotent method are known by; {@code null} for any other
 * @param asynchronous whether the method returns a stage or a publisher
 * @param publishers makes the publisher that callers get; {@code null} if the method returns none
 * @param repeats whether the method may be run more than once in a call
 * @param position whether an invocation can proceed more than once
 */
record MethodPlan(
        Pipeline pipeline,
        @Nullable IdempotentMethod operation,
        boolean asynchronous,
        @Nullable ProtectedPublishers publishers,
        boolean repeats,
        ChainPosition position) {

    @Nullable
    Object run(MethodInvocation invocation) throws Throwable {
        if (publishers != null) { // each subscription is a call of the method, and comes when the chain has returned
            boolean clonesEachTime = !position.isLast(invocation);
            Object headers = operation == null ? null : operation.headersAtAssembly();
            return publishers.assemble(
                    pipeline, call -> new MethodCall(invocation, this, clonesEachTime, call, headers));
        }
        MethodCall call = new MethodCall(invocation, this, repeats && !position.isLast(invocation), null, null);
        return asynchronous ? pipeline.invokeAsync(call) : pipeline.invoke(call);
    }

    /**
     * Whether nothing but the method itself comes behind this library's advice in the calls of one method, which is usual.
     *
     * <p>Spring's invocation holds a position in its chain of interceptors, which moves as they proceed: a second attempt
     * needs a clone that was taken before the first one. At the end of the chain there is no position left to move, and
     * proceeding calls the method, every time. Not cloning saves 96 bytes in every call of a method with retries. The chain is
     * that of the method: advice on other methods of the bean does not count.
     */
    static final class ChainPosition {

        /** A method of a singleton needs one look. Where proxies come and go, looking is not worth it. */
        private static final int MAX_LOOKS = 16;

        private volatile WeakReference<@Nullable Object> known = new WeakReference<>(null);
        private int looks; // written by racing threads: only roughly right

        /** Whether the advice that handles this invocation is known to be the last of its chain. */
        boolean isLast(MethodInvocation invocation) {
            return invocation instanceof ProxyMethodInvocation ofProxy
                    && (known.refersTo(ofProxy.getProxy()) || (looks < MAX_LOOKS && isStillLast(ofProxy)));
        }

        /** As {@link #isLast}, and not from memory: advice may have been added meanwhile. */
        boolean isStillLast(MethodInvocation invocation) {
            looks++;
            Object proxy = invocation instanceof ProxyMethodInvocation ofProxy ? ofProxy.getProxy() : null;
            boolean last = proxy instanceof Advised advised && isLast(advised, invocation);
            known = new WeakReference<>(last ? proxy : null);
            return last;
        }

        private static boolean isLast(Advised proxy, MethodInvocation invocation) {
            Object target = invocation.getThis();
            List<Object> chain = DefaultAdvisorChainFactory.INSTANCE.getInterceptorsAndDynamicInterceptionAdvice(
                    proxy, invocation.getMethod(), target == null ? null : target.getClass());
            return !chain.isEmpty() && chain.get(chain.size() - 1) instanceof ResilienceAdvisor.ResilienceInterceptor;
        }
    }

    /**
     * One call of an intercepted method.
     *
     * <p>Spring's invocation can proceed once, unless this advice is the last of its {@link ChainPosition chain}. Where a plan
     * retries and it is not, every attempt proceeds on a clone of the untouched invocation; the clone shares the array of arguments, which
     * saves copying it.
     *
     * <p>Inner aspects look for the invocation on their thread, where an interceptor that stands outside this advice
     * has put it; on another thread than the caller's, and when a publisher is subscribed to, it is put there here. So is the
     * proxy, where it is to be exposed.
     */
    private static final class MethodCall implements ProtectedCall {

        private final MethodInvocation invocation;
        private final MethodPlan plan;
        private final boolean clones;
        private final ProtectedPublishers.@Nullable Call publisher;
        private final @Nullable Object headersAtAssembly;
        private final Thread caller = Thread.currentThread();
        private volatile boolean proceeded; // the next attempt may come on another thread, before a deaf one has ended

        /** @param publisher the subscription that the call is, if it is one */
        MethodCall(
                MethodInvocation invocation,
                MethodPlan plan,
                boolean clones,
                ProtectedPublishers.@Nullable Call publisher,
                @Nullable Object headersAtAssembly) {
            this.invocation = invocation;
            this.plan = plan;
            this.clones = clones;
            this.publisher = publisher;
            this.headersAtAssembly = headersAtAssembly;
        }

        @Override
        public @Nullable Object proceed() throws Throwable {
            MethodInvocation once = clones && invocation instanceof ProxyMethodInvocation original
                    ? original.invocableClone(invocation.getArguments())
                    : invocation;
            if (proceeded && !clones && !plan.position().isStillLast(invocation)) {
                throw new IllegalStateException("This call cannot be repeated: advice was added to the proxy of "
                        + invocation.getMethod() + " while the application runs. The next call can be");
            }
            proceeded = true;
            Object returned = proceed(once);
            return publisher == null ? result(returned) : publisher.begin(returned);
        }

        private @Nullable Object proceed(MethodInvocation once) throws Throwable {
            if (publisher == null && Thread.currentThread() == caller) {
                return once.proceed();
            }
            Object proxy = once instanceof ProxyMethodInvocation ofProxy ? ofProxy.getProxy() : null;
            if (!(proxy instanceof Advised advised && advised.isExposeProxy())) {
                return ExposeInvocationInterceptor.INSTANCE.invoke(once);
            }
            Object outer = expose(proxy);
            try {
                return ExposeInvocationInterceptor.INSTANCE.invoke(once);
            } finally {
                expose(outer);
            }
        }

        /** For {@code AopContext}, as Spring's proxies do it, which have no public way. Returns what was exposed before. */
        private static @Nullable Object expose(@Nullable Object proxy) {
            Method setter = ReflectionUtils.findMethod(AopContext.class, "setCurrentProxy", Object.class);
            ReflectionUtils.makeAccessible(Objects.requireNonNull(setter));
            return ReflectionUtils.invokeMethod(setter, null, proxy);
        }

        @Override
        public @Nullable Object result(@Nullable Object returned) throws Throwable {
            return publisher == null ? returned : publisher.answer(returned);
        }

        @Override
        public boolean hasEmitted() {
            return publisher != null && publisher.hasEmitted();
        }

        @Override
        public void beforeNextElement(Runnable action) {
            if (publisher != null) {
                publisher.beforeNextElement(action);
            }
        }

        /** For the {@link ResultRecordingAdvisor}; the clones of an invocation share what is attached to it. */
        @Override
        public void attach(Object forTheBody) {
            if (invocation instanceof ProxyMethodInvocation ofProxy) {
                ofProxy.setUserAttribute(ResultRecordingAdvisor.ATTEMPT_RECORDER, forTheBody);
            }
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
        public boolean isInTransaction() {
            return publisher != null && publisher.isInTransaction();
        }

        @Override
        public boolean isOver() {
            return publisher != null && publisher.isOver();
        }

        @Override
        public @Nullable Object headersAtAssembly() {
            return headersAtAssembly;
        }

        @Override
        public @Nullable Object target() {
            return invocation.getThis();
        }

        @Override
        public @Nullable String bean() {
            return invocation instanceof ProxyMethodInvocation ofProxy && ofProxy.getProxy() instanceof Advised proxy
                    ? ResilienceAdvisor.beanOf(proxy)
                    : null;
        }
    }
}
