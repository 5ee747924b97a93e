package dev.resilience.spring.actuate;

import dev.resilience.event.CallQueued;
import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.IdempotencyDecided;
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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** Remembers the last events of every live object, for operators. Its size is bounded, however many there are. */
public final class EventLog implements ResilienceListener {

    /** Shown of every event, or by whom it is asked for. */
    private static final Set<String> SHOWN_OTHERWISE = Set.of("at", "kind", "name");

    private final ConcurrentMap<Source, History> histories = new ConcurrentHashMap<>();

    /** Tells the numbers of this log from those of another, of another application or before a restart. */
    final String instance = UUID.randomUUID().toString();

    /** The last transitions and changes of all live objects, the newest last, as they are shown. */
    private final Deque<Map<String, Object>> latest = new ArrayDeque<>();

    private long transitions;

    private record Source(String kind, String name) {}

    @Override
    public void onEvent(ResilienceEvent event) {
        if (isKeptAlone(event)) {
            keepLatest(event);
        }
        Source source = new Source(event.kind(), event.policyName());
        if (event instanceof PolicyRemoved) {
            histories.remove(source);
            return;
        }
        histories.computeIfAbsent(source, first -> new History()).add(event);
    }

    /** The last events, the newest first. */
    List<Map<String, Object>> of(String kind, String name) {
        History history = histories.get(new Source(kind, name));
        return history == null ? List.of() : history.newestFirst();
    }

    private void keepLatest(ResilienceEvent event) {
        Map<String, Object> view = details(event);
        view.put("at", Timestamps.text(event.at()));
        view.put("kind", event.kind());
        view.put("name", event.policyName());
        view.put("type", event.type());
        synchronized (latest) {
            view.put("number", ++transitions);
            latest.addLast(view);
            if (latest.size() > History.SHOWN) {
                latest.removeFirst();
            }
        }
    }

    /** Those of the last transitions and changes of all live objects that come after a number, which each has; the newest last. */
    List<Map<String, Object>> latestAfter(long number) {
        synchronized (latest) {
            return latest.stream()
                    .skip(Math.max(0, latest.size() - (transitions - number)))
                    .toList();
        }
    }

    /** The type of the last event of an idempotent call; {@code null} if there was none. */
    @Nullable
    String lastType(String kind, String name) {
        History history = histories.get(new Source(kind, name));
        return history == null ? null : history.lastType();
    }

    /**
     * The last events of one live object. Transitions, and changes of the policy, are kept one by one and apart, so that no flood of
     * refusals washes them away; all other events are counted by the second, each type and outcome for itself. Safe for use by
     * many threads: the lock is held for an addition.
     */
    private static final class History {

        private static final int SHOWN = 100;
        private static final int ROOM_FOR_TRANSITIONS = 50;

        private final Deque<Entry> transitions = new ArrayDeque<>();
        private final Deque<Entry> seconds = new ArrayDeque<>();
        private final Map<CountedAs, Entry> present = new HashMap<>();
        private long events;

        synchronized void add(ResilienceEvent event) {
            events++;
            if (isKeptAlone(event)) {
                keep(transitions, event).add(event, events);
                return;
            }
            CountedAs countedAs = CountedAs.of(event);
            Entry entry = present.get(countedAs);
            if (entry == null || !entry.isOfSecond(event)) {
                entry = keep(seconds, event);
                present.put(countedAs, entry);
            }
            entry.add(event, events);
        }

        private static Entry keep(Deque<Entry> kept, ResilienceEvent event) {
            if (kept.size() == SHOWN) {
                kept.removeLast();
            }
            Entry entry = new Entry(event);
            kept.addFirst(entry);
            return entry;
        }

        synchronized @Nullable String lastType() {
            return seconds.stream()
                    .filter(entry -> entry.last instanceof IdempotencyDecided)
                    .max(Comparator.comparingLong(entry -> entry.number))
                    .map(entry -> entry.last.type())
                    .orElse(null);
        }

        /** At most a hundred; where there are more, half of them are transitions, as far as there are so many. */
        synchronized List<Map<String, Object>> newestFirst() {
            int ofTransitions = Math.min(transitions.size(), Math.max(ROOM_FOR_TRANSITIONS, SHOWN - seconds.size()));
            return Stream.concat(
                            transitions.stream().limit(ofTransitions),
                            seconds.stream().limit(SHOWN - ofTransitions))
                    .sorted(Comparator.comparingLong((Entry entry) -> entry.number)
                            .reversed())
                    .map(Entry::view)
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

    /** One line of a history: a transition, or what happened within one second. */
    private static final class Entry {

        private static final long LATEST_SECONDS = 60;

        private final long second;
        private ResilienceEvent last;
        private long count;
        private long number; // of the last event among all those of the live object

        Entry(ResilienceEvent first) {
            this.second = first.at().getEpochSecond();
            this.last = first;
        }

        /** Whether it happened in this second, or is late: its thread was held up after it had read the clock. */
        boolean isOfSecond(ResilienceEvent event) {
            long late = second - event.at().getEpochSecond();
            return late >= 0 && late < LATEST_SECONDS;
        }

        void add(ResilienceEvent event, long itsNumber) {
            count++;
            last = event;
            number = itsNumber;
        }

        /** The last event, with how many there were, unless each is kept for itself. */
        Map<String, Object> view() {
            Map<String, Object> view = new LinkedHashMap<>();
            view.put("at", Timestamps.text(last.at()));
            view.put("type", last.type());
            if (!isKeptAlone(last)) {
                view.put("count", count);
            }
            if (!last.name().equals(last.policyName())) {
                view.put("name", last.name()); // of a host
            }
            view.putAll(details(last));
            return view;
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
