package dev.resilience.spring.reactor;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** Monos of methods that block nowhere. */
final class ProtectedMonos implements ProtectedPublishers {

    @Override
    public Mono<Object> assemble(Pipeline pipeline, Function<PublisherCall, Invocation> calls) {
        return Mono.create(subscriber -> new MonoCall(subscriber, null).start(pipeline, calls));
    }
}
