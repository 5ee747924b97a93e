package dev.resilience.spring.lifecycle;

import dev.resilience.spring.LiveRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Ends all waits as the first thing when the application stops, before the web server waits for its last requests: a
 * request that waits for a retry would hold it up, and may have no time left for the retry. {@link WaitsResume} takes that
 * back.
 *
 * <p>When the context is closed, waits end before other listeners hear of that and before any bean is stopped. When it is
 * only stopped, beans of the same phase, which is the default of {@link SmartLifecycle}, may be stopped before.
 */
public final class WaitsStop extends LifecyclePhase
        implements ApplicationListener<ContextClosedEvent>, PriorityOrdered {

    private final ApplicationContext application;

    public WaitsStop(LiveRegistry registry, ApplicationContext application) {
        super(registry, Integer.MAX_VALUE); // among the first to be stopped
        this.application = application;
    }

    @Override
    public void stop() {
        super.stop();
        registry.stopWaits();
    }

    /** Not after a bean of the same phase that takes its time to stop. Listeners hear of child contexts, too. */
    @Override
    public void onApplicationEvent(ContextClosedEvent closing) {
        if (closing.getApplicationContext().equals(application)) {
            registry.stopWaits();
        }
    }

    /** Before the listeners of the application, which may take their time. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
