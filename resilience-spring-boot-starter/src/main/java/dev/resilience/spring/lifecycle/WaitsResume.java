package dev.resilience.spring.lifecycle;

import dev.resilience.spring.LiveRegistry;
import org.springframework.context.SmartLifecycle;

/** Lets calls wait again as the first thing when an application that was stopped is started again; see {@link WaitsStop}. */
public final class WaitsResume implements SmartLifecycle {

    private final LiveRegistry registry;
    private volatile boolean running;

    public WaitsResume(LiveRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void start() {
        registry.resumeWaits();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The first to be started. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
