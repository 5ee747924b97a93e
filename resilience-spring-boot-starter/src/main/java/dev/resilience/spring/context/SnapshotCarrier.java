package dev.resilience.spring.context;

import dev.resilience.context.ContextCarrier;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;

/**
 * Takes along whatever Micrometer's context propagation has an accessor for: observations, traces, baggage. What the caller
 * does not have is not there either.
 */
public final class SnapshotCarrier implements ContextCarrier {

    private final ContextSnapshotFactory snapshots =
            ContextSnapshotFactory.builder().clearMissing(true).build();

    @Override
    public Runnable wrap(Runnable task) {
        ContextSnapshot snapshot = snapshots.captureAll();
        return () -> snapshot.wrap(task).run();
    }
}
