package dev.resilience.spring.actuate;

import dev.resilience.event.CallQueued;
import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.Outcome;
import dev.resilience.event.PolicyChanged;
import dev.resilience.event.PolicyRemoved;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.event.RetryFinished;
import dev.resilience.time.Timestamps;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** Remembers the last events of every live object, for operators. Its size is bounded, however many there are. */
public final class EventLog implements ResilienceListener {

    /** Shown of every event, or by whom it is asked for. */
    private static final Set<String> SHOWN_OTHERWISE = Set.of("at", "kind", "name");

    private final ConcurrentMap<Source, History> histories = new ConcurrentHashMap<>();

    private record Source(String kind, String name) {}

    @Override
    public void onEvent(ResilienceEvent event) {
        Source source = new Source(event.kind(), event.name());
        if (event instanceof PolicyRemoved) {
            histories.remove(source);
            return;
        }
        History history = histories.get(source);
        if (history == null) {
            history = histories.computeIfAbsent(source, first -> new History());
        }
        history.add(event);
    }

    /** The last events, the newest first. */
    List<Map<String, Object>> of(String kind, String name) {
        History history = histories.get(new Source(kind, name));
        return history == null ? List.of() : history.newestFirst();
    }

    /**
     * The last events of one live object. Transitions, and changes of the policy, are kept one by one and apart, so that no flood of
     * refusals washes them away; all other events are counted by the second, each type and outcome for itself.
     *
     * <p>Counting takes no lock; one is taken for a transition, and for the first event of a kind in a second. Safe for use by
     * many threads: of events at the same moment, any may be the one whose details are shown.
     */
    private static final class History {

        private static final int SHOWN = 100;
        private static final int ROOM_FOR_TRANSITIONS = 50;

        private final Deque<Entry> transitions = new ArrayDeque<>();
        private final Deque<Entry> seconds = new ArrayDeque<>();
        private final ConcurrentMap<CountedAs, Entry> present = new ConcurrentHashMap<>();
        private final AtomicLong events = new AtomicLong();

        void add(ResilienceEvent event) {
            if (isKeptAlone(event)) {
                keep(transitions, event).add(event, events.incrementAndGet());
                return;
            }
            CountedAs countedAs = CountedAs.of(event);
            Entry entry = present.get(countedAs);
            if (entry == null || !entry.isOfSecond(event)) {
                entry = begin(countedAs, event);
            }
            entry.add(event, events.incrementAndGet());
        }

        private synchronized Entry begin(CountedAs countedAs, ResilienceEvent event) {
            Entry entry = present.get(countedAs);
            if (entry == null || !entry.isOfSecond(event)) {
                entry = keep(seconds, event);
                present.put(countedAs, entry);
            }
            return entry;
        }

        private synchronized Entry keep(Deque<Entry> kept, ResilienceEvent event) {
            if (kept.size() == SHOWN) {
                kept.removeLast();
            }
            Entry entry = new Entry(event, events.get());
            kept.addFirst(entry);
            return entry;
        }

        /** At most a hundred; where there are more, half of them are transitions, as far as there are so many. */
        synchronized List<Map<String, Object>> newestFirst() {
            int ofTransitions = Math.min(transitions.size(), Math.max(ROOM_FOR_TRANSITIONS, SHOWN - seconds.size()));
            return Stream.concat(
                            transitions.stream().limit(ofTransitions),
                            seconds.stream().limit(SHOWN - ofTransitions))
                    .map(Entry::shown) // before they are sorted, because events go on being counted
                    .sorted(Comparator.comparingLong(Shown::number).reversed())
                    .map(Shown::view)
                    .toList();
        }
    }

    /** Whether the event has an entry of its own, and is not counted by the second. */
    private static boolean isKeptAlone(ResilienceEvent event) {
        return event instanceof CircuitStateChanged || event instanceof PolicyChanged;
    }

    /** What is counted together within a second. */
    private record CountedAs(Class<?> type, @Nullable Object outcome) {

        static CountedAs of(ResilienceEvent event) {
            Object outcome = event instanceof RetryFinished finished
                    ? finished.outcome()
                    : event instanceof CallRejected rejected
                            ? rejected.reason()
                            : event instanceof CallQueued queued ? queued.outcome() : event.type();
            return new CountedAs(event.getClass(), outcome);
        }
    }

    /**
     * An entry at one moment.
     *
     * @param number of its last event among all those of the live object
     * @param view the last event, with how many there were, unless each is kept for itself
     */
    private record Shown(long number, Map<String, Object> view) {}

    /** One line of a history: a transition, or what happened within one second. */
    private static final class Entry {

        private static final long LATEST_SECONDS = 60;

        private final long second;
        private final AtomicLong count = new AtomicLong();
        private volatile ResilienceEvent last;
        private volatile long number;

        Entry(ResilienceEvent first, long number) {
            this.second = first.at().getEpochSecond();
            this.last = first;
            this.number = number;
        }

        /** Whether it happened in this second, or is late: its thread was held up after it had read the clock. */
        boolean isOfSecond(ResilienceEvent event) {
            long late = second - event.at().getEpochSecond();
            return late >= 0 && late < LATEST_SECONDS;
        }

        void add(ResilienceEvent event, long itsNumber) {
            count.incrementAndGet();
            last = event;
            number = itsNumber;
        }

        /** What is shown of it at this moment; events go on being counted meanwhile. */
        Shown shown() {
            ResilienceEvent event = last;
            Map<String, Object> view = new LinkedHashMap<>();
            view.put("at", Timestamps.text(event.at()));
            view.put("type", event.type());
            if (!isKeptAlone(event)) {
                view.put("count", Math.max(1, count.get()));
            }
            view.putAll(details(event));
            return new Shown(number, view);
        }
    }

    /** An event's own values as people and machines read them: the components of its record, of a failure its type alone. */
    static Map<String, Object> details(ResilienceEvent event) {
        Map<String, Object> details = new LinkedHashMap<>();
        for (RecordComponent component : event.getClass().getRecordComponents()) {
            if (!SHOWN_OTHERWISE.contains(component.getName())) {
                addDetail(details, component, ReflectionUtils.invokeMethod(component.getAccessor(), event));
            }
        }
        return details;
    }

    /** A count of zero is left out like what is not known. */
    private static void addDetail(Map<String, Object> details, RecordComponent component, @Nullable Object value) {
        if (component.getType() == Throwable.class) {
            details.put("errorType", value == null ? "result" : value.getClass().getName());
        } else if (value instanceof Instant instant) {
            details.put(component.getName(), Timestamps.text(instant));
        } else if (value instanceof Outcome outcome) {
            details.put(component.getName(), outcome.label());
        } else if (value instanceof Duration || value instanceof Enum) {
            details.put(component.getName(), value.toString());
        } else if (value != null && !value.equals(0)) {
            details.put(component.getName(), value);
        }
    }
}
