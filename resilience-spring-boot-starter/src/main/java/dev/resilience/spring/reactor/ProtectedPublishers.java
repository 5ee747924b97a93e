package dev.resilience.spring.reactor;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.function.Function;

/** Makes the publishers that callers of one protected method get. Names no type of Reactor's. */
@FunctionalInterface
public interface ProtectedPublishers {

    /**
     * A publisher, which does nothing until it is subscribed to.
     *
     * @param pipeline protects each subscription
     * @param calls makes the call that a subscription is; its attempts begin their publishers with the given object
     */
    Object assemble(Pipeline pipeline, Function<PublisherCall, Invocation> calls);
}
