package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.ResilienceRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Ends all waits as the first thing when the application stops, before the web server waits for its last requests: a
 * request that waits for a retry would hold it up, and may have no time left for the retry. {@link WaitsResume} takes that
 * back.
 */
final class WaitsStop implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    private final ResilienceRegistry registry;
    private final ApplicationContext application;
    private volatile boolean running;

    WaitsStop(ResilienceRegistry registry, ApplicationContext application) {
        this.registry = registry;
        this.application = application;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        registry.stopWaits();
    }

    /** Not behind a bean of the same phase that takes its time to stop. Of child contexts one hears, too. */
    @Override
    public void onApplicationEvent(ContextClosedEvent closing) {
        if (closing.getApplicationContext().equals(application)) {
            registry.stopWaits();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The first to be stopped. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
