package dev.resilience.spring.lifecycle;

import dev.resilience.spring.LiveRegistry;

/**
 * Stops what {@link BulkheadDrainLifecycle} has waited for in vain, one phase after it: calls are interrupted while the beans that
 * they use are still there.
 */
public final class BulkheadStopLifecycle extends LifecyclePhase {

    public BulkheadStopLifecycle(LiveRegistry registry) {
        super(registry, BulkheadDrainLifecycle.PHASE - 1); // the next one: phases are stopped in descending order
    }

    @Override
    public void stop() {
        super.stop();
        registry.stopRunning();
    }
}
