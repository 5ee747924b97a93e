package dev.resilience.spring.lifecycle;

import dev.resilience.spring.LiveRegistry;
import org.springframework.context.SmartLifecycle;

/** What the library does with its live objects in one phase of an application's start and end. */
abstract class LifecyclePhase implements SmartLifecycle {

    final LiveRegistry registry;
    private final int phase;
    private volatile boolean running;

    /** @param phase phases are started in ascending order, and stopped in descending order */
    LifecyclePhase(LiveRegistry registry, int phase) {
        this.registry = registry;
        this.phase = phase;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public final boolean isRunning() {
        return running;
    }

    @Override
    public final int getPhase() {
        return phase;
    }
}
