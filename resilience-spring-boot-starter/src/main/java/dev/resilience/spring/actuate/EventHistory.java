package dev.resilience.spring.actuate;

import dev.resilience.event.CallQueued;
import dev.resilience.event.CallRejected;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.RetryFinished;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last events of one live object. Transitions, and changes of the policy, are kept one by one and apart, so that no flood of refusals washes them
 * away; all other events are counted by the second, each type and outcome for itself.
 *
 * <p>Counting takes no lock; one is taken for a transition, and for the first event of a kind in a second. Safe for use by
 * many threads: of events at the same moment, any may be the one whose details are shown.
 */
final class EventHistory {

    private static final int SHOWN = 100;
    private static final int ROOM_FOR_TRANSITIONS = 50;

    /** The time of day decides between entries that no newer one tells apart: it may be set back. */
    private static final Comparator<EventEntry.Shown> NEWEST_FIRST = Comparator.comparingLong(
                    EventEntry.Shown::position)
            .thenComparing(EventEntry.Shown::at)
            .reversed();

    private final Deque<EventEntry> transitions = new ArrayDeque<>();
    private final Deque<EventEntry> seconds = new ArrayDeque<>();
    private final ConcurrentMap<Same, EventEntry> present = new ConcurrentHashMap<>();
    private volatile long entries;

    void add(ResilienceEvent event) {
        if (EventEntry.standsAlone(event)) {
            keep(transitions, event);
            return;
        }
        Same same = Same.as(event);
        EventEntry entry = present.get(same);
        if (entry == null || !entry.isOfSecond(event)) {
            entry = begin(same, event);
        }
        entry.count(event, entries);
    }

    private synchronized EventEntry begin(Same same, ResilienceEvent event) {
        EventEntry entry = present.get(same);
        if (entry == null || !entry.isOfSecond(event)) {
            entry = keep(seconds, event);
            present.put(same, entry);
        }
        return entry;
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // written under the lock only
    private synchronized EventEntry keep(Deque<EventEntry> kept, ResilienceEvent event) {
        entries++;
        if (kept.size() == SHOWN) {
            kept.removeLast();
        }
        EventEntry entry = new EventEntry(event, entries);
        kept.addFirst(entry);
        return entry;
    }

    /** At most a hundred; where there are more, half of them are transitions, as far as there are so many. */
    synchronized List<Map<String, Object>> newestFirst() {
        int ofTransitions = Math.min(transitions.size(), Math.max(ROOM_FOR_TRANSITIONS, SHOWN - seconds.size()));
        return Stream.concat(
                        transitions.stream().limit(ofTransitions),
                        seconds.stream().limit(SHOWN - ofTransitions))
                .map(EventEntry::shown) // before they are sorted, because events go on being counted
                .sorted(NEWEST_FIRST)
                .map(EventEntry.Shown::view)
                .toList();
    }

    /** What is counted together within a second. */
    private record Same(Class<?> type, @Nullable Object outcome) {

        static Same as(ResilienceEvent event) {
            if (event instanceof RetryFinished finished) {
                return new Same(RetryFinished.class, finished.outcome());
            }
            if (event instanceof CallRejected rejected) {
                return new Same(CallRejected.class, rejected.reason());
            }
            if (event instanceof CallQueued queued) {
                return new Same(CallQueued.class, queued.outcome());
            }
            return new Same(event.getClass(), event.type());
        }
    }
}
