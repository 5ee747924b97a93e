package dev.resilience.spring.aop;

import java.lang.ref.WeakReference;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;

/**
 * Whether nothing but the method itself comes behind this library's advice on a proxy, which is the usual case.
 *
 * <p>Spring's invocation holds a position in its chain of interceptors, which moves as they proceed: a second attempt
 * needs a clone that was taken before the first one. At the end of the chain there is no position left to move, and
 * proceeding calls the method, every time. Not cloning saves every call that succeeds at once more than all layers
 * together cost, so it is worth a look at each proxy; the last one looked at is remembered for each method.
 */
final class AdviceChainPosition {

    /** A method of a singleton needs one look. Where proxies come and go, looking is not worth it. */
    private static final int MOST_LOOKS = 16;

    private volatile WeakReference<@Nullable Object> knownToBe = new WeakReference<>(null);
    private volatile WeakReference<@Nullable Object> knownNotToBe = knownToBe;
    private int looks; // written by racing threads: only roughly right

    /** Whether the advice that handles this invocation is known to be the innermost of its proxy. */
    boolean isAt(MethodInvocation invocation) {
        if (!(invocation instanceof ProxyMethodInvocation ofProxy)) {
            return false;
        }
        Object proxy = ofProxy.getProxy();
        if (knownToBe.refersTo(proxy)) {
            return true;
        }
        return !knownNotToBe.refersTo(proxy) && looks < MOST_LOOKS && lookAt(proxy);
    }

    /** As {@link #isAt}, and not from memory: advice may have been added meanwhile. */
    boolean isStillAt(MethodInvocation invocation) {
        return invocation instanceof ProxyMethodInvocation ofProxy && lookAt(ofProxy.getProxy());
    }

    private boolean lookAt(Object proxy) {
        looks++;
        boolean innermost = proxy instanceof Advised advised && isLast(advised.getAdvisors());
        WeakReference<@Nullable Object> looked = new WeakReference<>(proxy);
        WeakReference<@Nullable Object> none = new WeakReference<>(null);
        knownToBe = innermost ? looked : none;
        knownNotToBe = innermost ? none : looked;
        return innermost;
    }

    private static boolean isLast(Advisor[] advisors) {
        return advisors.length > 0 && advisors[advisors.length - 1] instanceof ResilienceAdvisor;
    }
}
