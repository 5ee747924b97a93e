package dev.resilience.fallback;

import dev.resilience.event.FallbackOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;

/** The fallback of one method: asked when everything inside it has failed. Safe for use by many threads. */
public final class Fallback implements Layer {

    private final String name;
    private final FallbackMethod method;
    private final OutcomeCounters<FallbackOutcome> calls = new OutcomeCounters<>(FallbackOutcome.class);

    /**
     * @param name the protected method: {@code OrderService.place}
     */
    public Fallback(String name, FallbackMethod method) {
        this.name = name;
        this.method = method;
    }

    public String name() {
        return name;
    }

    /** Calls of the fallback method, by how it did. */
    public OutcomeCounters<FallbackOutcome> calls() {
        return calls;
    }

    @Override
    public Step around(Step next) {
        return new FallbackStep(this, next);
    }

    FallbackMethod method() {
        return method;
    }
}
