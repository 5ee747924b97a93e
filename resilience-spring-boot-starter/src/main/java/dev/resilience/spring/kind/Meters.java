package dev.resilience.spring.kind;

import dev.resilience.event.Outcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.event.ResilienceEvent;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where a kind registers the meters of one live object, whose name each of them has as its tag {@code name}. The live object
 * counts and the meters read. They refer to live objects weakly and go with the application.
 */
public interface Meters {

    /**
     * A value that never falls.
     *
     * @param tags more tags, name and value in turn
     */
    <T> void counter(MeterFamily family, T live, ToDoubleFunction<T> value, String... tags);

    /**
     * A value of this moment.
     *
     * @param tags more tags, name and value in turn
     */
    <T> void gauge(MeterFamily family, T live, ToDoubleFunction<T> value, String... tags);

    /**
     * Durations that events bring: rare ones, because an event is made only where a listener listens.
     *
     * @param duration of an event of the live object; {@code null} if it does not count
     * @param tags more tags, name and value in turn
     */
    <E extends ResilienceEvent> void timer(
            MeterFamily family, Class<E> events, Function<E, @Nullable Duration> duration, String... tags);

    /** As this, for meters of what all live objects share: without the tag {@code name}. */
    Meters ofAll();

    /** One counter for each outcome, which is its tag {@code outcome}. */
    default <O extends Enum<O> & Outcome> void outcomes(MeterFamily family, OutcomeCounters<O> counters) {
        for (O outcome : counters.outcomes()) {
            counter(family, counters, c -> c.get(outcome), "outcome", outcome.label());
        }
    }
}
