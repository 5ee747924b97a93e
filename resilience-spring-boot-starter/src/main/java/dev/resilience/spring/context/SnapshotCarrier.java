package dev.resilience.spring.context;

import dev.resilience.pipeline.ContextCarrier;
import io.micrometer.context.ContextSnapshotFactory;

/** Takes along whatever Micrometer's context propagation has an accessor for: observations, traces, baggage. */
public final class SnapshotCarrier implements ContextCarrier {

    private final ContextSnapshotFactory snapshots =
            ContextSnapshotFactory.builder().build();

    @Override
    public Runnable wrap(Runnable task) {
        return snapshots.captureAll().wrap(task);
    }
}
