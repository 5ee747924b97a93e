package dev.resilience;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.ResilienceListener;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.FaultClassifier;
import dev.resilience.fault.HttpFailure;
import dev.resilience.pipeline.Environment;
import dev.resilience.time.TimeSource;
import java.util.ArrayList;
import java.util.List;

/** Says what a {@link Resilience} works with. Not safe for use by many threads. */
public final class ResilienceBuilder {

    private final List<ResilienceListener> listeners = new ArrayList<>();
    private final List<HttpFailure.Reader> httpFailures = new ArrayList<>();
    private TimeSource timeSource = TimeSource.system();
    private FaultClassifier classifier = failure -> Fault.UNKNOWN;
    private ContextCarrier carrier = ContextCarrier.standard();

    ResilienceBuilder() {}

    /**
     * Where every wait and every timestamp comes from; default {@link TimeSource#system()}. Tests give a
     * {@link dev.resilience.time.ManualTimeSource}.
     */
    public ResilienceBuilder timeSource(TimeSource source) {
        timeSource = source;
        return this;
    }

    /** Adds a listener, which gets every event; see {@link Resilience#onEvent} for one type alone. Default none. */
    public ResilienceBuilder listener(ResilienceListener listener) {
        listeners.add(listener);
        return this;
    }

    /** Tells which failures are transient, before the library's own knowledge is asked; default {@link Fault#UNKNOWN}. */
    public ResilienceBuilder classifier(FaultClassifier first) {
        classifier = first;
        return this;
    }

    /**
     * Adds what finds status and {@code Retry-After} in the exceptions of an HTTP client; default none. Without it
     * {@code retryOnStatus} and {@code honorRetryAfter} of retry policies have nothing to look at.
     */
    public ResilienceBuilder httpFailures(HttpFailure.Reader reader) {
        httpFailures.add(reader);
        return this;
    }

    /**
     * Adds what is taken along to the threads on which a call goes on; default {@link ContextCarrier#standard()} alone, the
     * MDC and the context class loader.
     */
    public ResilienceBuilder carrier(ContextCarrier further) {
        carrier = carrier.and(further);
        return this;
    }

    public Resilience build() {
        EventPublisher events = new EventPublisher();
        listeners.forEach(events::add);
        FaultClassification faults = new FaultClassification(classifier, List.of(), httpFailures);
        return new Resilience(new Environment(timeSource, events, faults, carrier));
    }
}
