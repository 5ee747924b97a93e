package dev.resilience.spring.reactor;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.function.Function;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** A stream of which each subscription is a call. */
final class ProtectedFlux extends Flux<Object> {

    private final Pipeline pipeline;
    private final Function<PublisherCall, Invocation> calls;

    ProtectedFlux(Pipeline pipeline, Function<PublisherCall, Invocation> calls) {
        this.pipeline = pipeline;
        this.calls = calls;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Object> subscriber) {
        FluxCall call = new FluxCall(subscriber);
        call.begin();
        call.start(pipeline, calls);
    }
}
