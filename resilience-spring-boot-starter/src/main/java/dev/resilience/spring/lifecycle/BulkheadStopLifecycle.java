package dev.resilience.spring.lifecycle;

import dev.resilience.spring.LiveRegistry;
import org.springframework.context.SmartLifecycle;

/**
 * Stops what {@link BulkheadDrainLifecycle} has waited for in vain, one phase after it: calls are interrupted while the beans that
 * they use are still there.
 */
public final class BulkheadStopLifecycle implements SmartLifecycle {

    private final LiveRegistry registry;
    private volatile boolean running;

    public BulkheadStopLifecycle(LiveRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        registry.stopRunning();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return BulkheadDrainLifecycle.PHASE - 1; // phases are stopped in descending order
    }
}
