package dev.resilience.spring.reactor;

import dev.resilience.context.ContextCarrier;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Monos of idempotent methods, whose store blocks: it is asked on threads of Reactor's bounded elastic scheduler, never on
 * those on which a Mono is subscribed to or ends, which may be the only ones that bring the store's answer.
 */
final class IdempotentMonos implements ProtectedPublishers {

    private final ContextCarrier carrier;

    IdempotentMonos(ContextCarrier carrier) {
        this.carrier = carrier;
    }

    @Override
    public Mono<Object> assemble(Pipeline pipeline, Function<PublisherCall, Invocation> calls) {
        return ReactiveCaller.known(caller -> Mono.create(subscriber -> start(subscriber, caller, pipeline, calls)));
    }

    private void start(
            MonoSink<Object> subscriber,
            ReactiveCaller caller,
            Pipeline pipeline,
            Function<PublisherCall, Invocation> calls) {
        Scheduler threads = Schedulers.boundedElastic();
        MonoCall call = new MonoCall(subscriber, threads::schedule);
        threads.schedule(carrier.wrap(() -> caller.run(() -> call.start(pipeline, calls))));
    }
}
