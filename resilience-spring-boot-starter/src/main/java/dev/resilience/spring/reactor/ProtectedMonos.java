package dev.resilience.spring.reactor;

import dev.resilience.context.ContextCarrier;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Monos of which each subscription is a call. */
final class ProtectedMonos {

    private ProtectedMonos() {}

    /** Of methods that block nowhere. */
    static Mono<Object> assemble(Pipeline pipeline, Function<PublisherCall, Invocation> calls) {
        return Mono.create(subscriber -> new MonoCall(subscriber, null).start(pipeline, calls));
    }

    /**
     * Of idempotent methods, whose store blocks: it is asked on threads of Reactor's bounded elastic scheduler, never on
     * those on which a Mono is subscribed to or ends, which may be the only ones that bring the store's answer.
     */
    static ProtectedPublishers idempotent(ContextCarrier carrier) {
        return (pipeline, calls) -> ReactiveCaller.known(
                caller -> Mono.create(subscriber -> startElsewhere(subscriber, carrier, caller, pipeline, calls)));
    }

    private static void startElsewhere(
            MonoSink<Object> subscriber,
            ContextCarrier carrier,
            ReactiveCaller caller,
            Pipeline pipeline,
            Function<PublisherCall, Invocation> calls) {
        Scheduler threads = Schedulers.boundedElastic();
        MonoCall call = new MonoCall(subscriber, threads::schedule);
        threads.schedule(carrier.wrap(() -> caller.run(() -> call.start(pipeline, calls))));
    }
}
