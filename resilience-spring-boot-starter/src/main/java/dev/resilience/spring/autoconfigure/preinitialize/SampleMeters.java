package dev.resilience.spring.autoconfigure.preinitialize;

import dev.resilience.event.internal.EventPublisher;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.metrics.ResilienceMeters;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** Shows the sample to Micrometer, where it is on the class path. */
final class SampleMeters {

    private SampleMeters() {}

    static void bind(LiveRegistry live, Kinds kinds, EventPublisher events) {
        try (ResilienceMeters meters = new ResilienceMeters(live, kinds, events, null, () -> {})) {
            meters.bindTo(new SimpleMeterRegistry());
        }
    }
}
