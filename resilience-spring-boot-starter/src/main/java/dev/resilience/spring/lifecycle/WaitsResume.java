package dev.resilience.spring.lifecycle;

import dev.resilience.spring.LiveRegistry;

/** Lets calls wait again as the first thing when an application that was stopped is started again; see {@link WaitsStop}. */
public final class WaitsResume extends LifecyclePhase {

    public WaitsResume(LiveRegistry registry) {
        super(registry, Integer.MIN_VALUE); // the first to be started
    }

    @Override
    public void start() {
        registry.resumeWaits();
        super.start();
    }
}
