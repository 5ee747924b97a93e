package dev.resilience.spring.context;

import dev.resilience.context.ContextCarrier;
import org.springframework.security.concurrent.DelegatingSecurityContextRunnable;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Takes Spring Security's context along: who is calling is the same there. Spring's contexts can be changed afterwards, as
 * many filters do with the one of their thread, so a copy is taken.
 */
public final class SecurityContextCarrier implements ContextCarrier {

    private final SharedTask withoutCaller = new SharedTask();

    @Override
    public Runnable wrap(Runnable task) {
        SecurityContext current = SecurityContextHolder.getContext();
        SecurityContext caller = copy(current);
        return current.getAuthentication() == null && caller != current
                ? withoutCaller.of(task, () -> () -> run(task, SecurityContextHolder.createEmptyContext()))
                : () -> run(task, caller);
    }

    private static void run(Runnable task, SecurityContext caller) {
        new DelegatingSecurityContextRunnable(task, caller).run(); // which can run but once
    }

    /** One of an application's own class may hold more than can be copied. */
    private static SecurityContext copy(SecurityContext original) {
        SecurityContext copy = SecurityContextHolder.createEmptyContext();
        if (copy.getClass() != original.getClass()) {
            return original;
        }
        copy.setAuthentication(original.getAuthentication());
        return copy;
    }
}
