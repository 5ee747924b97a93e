package dev.resilience.spring.metrics;

import dev.resilience.event.CallQueued;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.spring.ResilienceRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The timers: fed by events, registered from the start. */
final class EventTimers implements ResilienceListener {

    private final Map<String, Map<RetryOutcome, Timer>> retries = new HashMap<>();
    private final Map<String, Timer> waits = new HashMap<>();

    EventTimers(MeterRegistry meters, ResilienceRegistry resilience) {
        for (String name : resilience.retries().keySet()) {
            Map<RetryOutcome, Timer> timers = new EnumMap<>(RetryOutcome.class);
            for (RetryOutcome outcome : RetryOutcome.values()) {
                if (outcome != RetryOutcome.SUCCESS) {
                    timers.put(
                            outcome,
                            Timer.builder("resilience.retry.duration")
                                    .tags("name", name, "outcome", outcome.label())
                                    .register(meters));
                }
            }
            retries.put(name, timers);
        }
        for (String name : resilience.bulkheads().keySet()) {
            waits.put(
                    name,
                    Timer.builder("resilience.bulkhead.wait").tags("name", name).register(meters));
        }
    }

    @Override
    public void onEvent(ResilienceEvent event) {
        if (event instanceof RetryFinished finished) {
            record(retries.getOrDefault(finished.name(), Map.of()).get(finished.outcome()), finished.duration());
        } else if (event instanceof CallQueued queued) {
            record(waits.get(queued.name()), queued.waited());
        }
    }

    private static void record(@Nullable Timer timer, Duration duration) {
        if (timer != null) {
            timer.record(duration);
        }
    }
}
