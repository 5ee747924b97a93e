package dev.resilience.spring.actuate;

import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.PolicyChanged;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.time.Timestamps;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** One line of an event history: a transition, or what happened within one second. */
final class EventEntry {

    private static final long LATEST_SECONDS = 60;

    private final long second;
    private final AtomicLong count = new AtomicLong();
    private volatile ResilienceEvent last;
    private volatile long position;

    /** Whether the event has an entry of its own, and is not counted by the second. */
    static boolean standsAlone(ResilienceEvent event) {
        return event instanceof CircuitStateChanged || event instanceof PolicyChanged;
    }

    /** @param entries how many entries there are with this one */
    EventEntry(ResilienceEvent first, long entries) {
        this.second = first.at().getEpochSecond();
        this.last = first;
        this.position = 2 * entries;
    }

    /** Whether it happened in this second, or is late: its thread was held up after it had read the clock. */
    boolean isOfSecond(ResilienceEvent event) {
        long late = second - event.at().getEpochSecond();
        return late >= 0 && late < LATEST_SECONDS;
    }

    /** @param entries how many entries there are by now: this event is newer than all of them */
    void count(ResilienceEvent event, long entries) {
        count.incrementAndGet();
        last = event;
        if (position <= 2 * entries) {
            position = 2 * entries + 1;
        }
    }

    /** What is shown of it at this moment; events go on being counted meanwhile. */
    Shown shown() {
        ResilienceEvent event = last;
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("at", Timestamps.text(event.at()));
        view.put("type", event.type());
        if (!standsAlone(event)) {
            view.put("count", Math.max(1, count.get()));
        }
        view.putAll(event.details());
        return new Shown(position, event.at(), view);
    }

    /**
     * An entry at one moment.
     *
     * @param position higher than that of every entry whose last event came before the newest entry was begun
     * @param at when the last event happened
     * @param view the last event, with how many there were, unless each is kept for itself
     */
    record Shown(long position, Instant at, Map<String, Object> view) {}
}
