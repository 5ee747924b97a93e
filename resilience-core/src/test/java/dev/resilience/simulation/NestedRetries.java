package dev.resilience.simulation;

import dev.resilience.pipeline.Pipeline;
import dev.resilience.simulation.Scenario.Part;

/** What {@code nested: suppress} does: a request that is itself a retry gets one attempt. */
final class NestedRetries {

    private static final Pipeline ONE_ATTEMPT = Pipeline.of();

    private final boolean suppressed;
    private final Pipeline pipeline;

    NestedRetries(Scenario scenario, Pipeline pipeline) {
        this.suppressed = scenario.has(Part.SUPPRESS_NESTED);
        this.pipeline = pipeline;
    }

    Pipeline pipelineFor(Request request) {
        return suppressed && request.attemptNumber() >= 2 ? ONE_ATTEMPT : pipeline;
    }
}
