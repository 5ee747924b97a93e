package dev.resilience.spring.context;

import dev.resilience.pipeline.ContextCarrier;
import org.springframework.security.concurrent.DelegatingSecurityContextRunnable;
import org.springframework.security.core.context.SecurityContextHolder;

/** Takes Spring Security's context along: who is calling is the same there. */
public final class SecurityContextCarrier implements ContextCarrier {

    @Override
    public Runnable wrap(Runnable task) {
        return new DelegatingSecurityContextRunnable(task, SecurityContextHolder.getContext());
    }
}
