package dev.resilience.pipeline;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.fault.FaultClassification;
import dev.resilience.time.TimeSource;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What every live object works with. For adapters; applications configure {@link dev.resilience.Resilience}.
 *
 * @param time where every wait and every timestamp comes from
 * @param events passes what happens to listeners
 * @param faults tells transient failures from permanent ones
 * @param carrier takes along what is bound to the caller's thread to the threads on which a call goes on
 * @param random numbers from 0 (inclusive) to 1 (exclusive), for what is done to a share of calls
 * @param waits where calls of the one policy wait; {@code null} for waits of the live object's own
 */
public record Environment(
        TimeSource time,
        EventPublisher events,
        FaultClassification faults,
        ContextCarrier carrier,
        DoubleSupplier random,
        @Nullable Waits waits) {

    public Environment(TimeSource time, EventPublisher events, FaultClassification faults, ContextCarrier carrier) {
        this(time, events, faults, carrier, () -> ThreadLocalRandom.current().nextDouble(), null);
    }

    /** With the JDK's faults, no listener and {@link ContextCarrier#standard()}. */
    public static Environment of(TimeSource time) {
        return new Environment(time, new EventPublisher(), FaultClassification.ofJdk(), ContextCarrier.standard());
    }

    /** The same for one policy, whose calls wait there. */
    public Environment with(Waits ofPolicy) {
        return new Environment(time, events, faults, carrier, random, ofPolicy);
    }

    /** Passes an event of this moment to the listeners, if there are any. */
    public void publish(Function<Instant, ResilienceEvent> event) {
        events.publish(() -> event.apply(time.now()));
    }

    /** Where calls wait: on threads whose names begin with the prefix, if no others are given. */
    public Waits waits(String prefix) {
        return waits == null ? new Waits(prefix, time, null) : waits;
    }
}
