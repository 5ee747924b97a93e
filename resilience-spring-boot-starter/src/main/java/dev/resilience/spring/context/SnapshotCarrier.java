package dev.resilience.spring.context;

import dev.resilience.context.ContextCarrier;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.Map;

/**
 * Takes along whatever Micrometer's context propagation has an accessor for: observations, traces, baggage. What the caller
 * does not have is not there either.
 */
public final class SnapshotCarrier implements ContextCarrier {

    private final ContextSnapshotFactory snapshots =
            ContextSnapshotFactory.builder().clearMissing(true).build();

    private final SharedTask ofNothing = new SharedTask();

    @Override
    public Runnable wrap(Runnable task) {
        ContextSnapshot snapshot = snapshots.captureAll();
        boolean isEmpty = snapshot instanceof Map<?, ?> values && values.isEmpty(); // as Micrometer's own is
        return isEmpty ? ofNothing.of(task, () -> with(snapshot, task)) : with(snapshot, task);
    }

    private static Runnable with(ContextSnapshot snapshot, Runnable task) {
        return () -> snapshot.wrap(task).run();
    }
}
