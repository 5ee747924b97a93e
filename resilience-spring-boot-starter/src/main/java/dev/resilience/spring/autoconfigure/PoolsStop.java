package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.ResilienceRegistry;
import org.springframework.context.SmartLifecycle;

/**
 * Stops what {@link PoolsShutdown} has waited for in vain, one phase after it: calls are interrupted while the beans that
 * they use are still there.
 */
final class PoolsStop implements SmartLifecycle {

    private final ResilienceRegistry registry;
    private volatile boolean running;

    PoolsStop(ResilienceRegistry registry) {
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
        return PoolsShutdown.PHASE - 1; // phases are stopped in descending order
    }
}
