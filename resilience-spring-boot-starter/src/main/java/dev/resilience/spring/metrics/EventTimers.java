package dev.resilience.spring.metrics;

import dev.resilience.event.CallQueued;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The timers: fed by events, registered from the start. */
final class EventTimers implements ResilienceListener {

    private final RegisteredMeters meters;
    private final ConcurrentMap<String, Map<RetryOutcome, Timer>> retries = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Timer> waits = new ConcurrentHashMap<>();

    EventTimers(RegisteredMeters meters) {
        this.meters = meters;
    }

    void addRetry(String name) {
        Map<RetryOutcome, Timer> timers = new EnumMap<>(RetryOutcome.class);
        for (RetryOutcome outcome : RetryOutcome.values()) {
            if (outcome != RetryOutcome.SUCCESS) {
                timers.put(outcome, meters.timer(MeterFamily.RETRY_DURATION, "name", name, "outcome", outcome.label()));
            }
        }
        retries.put(name, timers);
    }

    void addBulkhead(String name) {
        waits.put(name, meters.timer(MeterFamily.BULKHEAD_WAIT, "name", name));
    }

    @Override
    public void onEvent(ResilienceEvent event) {
        if (event instanceof RetryFinished finished && finished.attempts() > 1) {
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
