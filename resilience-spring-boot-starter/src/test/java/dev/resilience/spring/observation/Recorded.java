package dev.resilience.spring.observation;

import dev.resilience.spring.Applications;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What a handler gets of observations, and the calls of a registry that refuses every wrong use of it. */
final class Recorded implements ObservationHandler<Observation.Context> {

    private static final String EVENTS = "events";

    private final TestObservationRegistry registry = TestObservationRegistry.create();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<Observation.Context> ended = new CopyOnWriteArrayList<>();

    Recorded() {
        registry.observationConfig().observationHandler(this);
    }

    /** An application that is observed by this. */
    ApplicationContextRunner application(Class<?>... components) {
        return Applications.plain(components).withBean(ObservationRegistry.class, this::registry);
    }

    ObservationRegistry registry() {
        return registry;
    }

    /** Starts, events and ends, each with the observation's name. */
    List<String> lines() {
        return lines;
    }

    /** The names of events. */
    List<String> events() {
        return lines.stream()
                .filter(line -> line.startsWith("event "))
                .map(line -> line.substring(6))
                .toList();
    }

    List<Observation.Context> ended() {
        return ended;
    }

    /** All keys of the only observation that has ended. */
    Map<String, String> keys() {
        if (ended.size() != 1) {
            throw new AssertionError(lines);
        }
        return keys(ended.get(0));
    }

    /** All keys of an observation. */
    static Map<String, String> keys(Observation.Context context) {
        return Stream.concat(
                        context.getLowCardinalityKeyValues().stream(), context.getHighCardinalityKeyValues().stream())
                .collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue, (a, b) -> a, TreeMap::new));
    }

    /** The names of the events of one observation. */
    static List<String> eventsOf(Observation.Context context) {
        return context.getOrDefault(EVENTS, List.of());
    }

    /** The name of the observation that is current now. */
    @Nullable
    String current() {
        Observation current = registry.getCurrentObservation();
        return current == null ? null : current.getContext().getContextualName();
    }

    /** The name of the observation around one. */
    static @Nullable String parent(Observation.Context context) {
        return context.getParentObservation() == null
                ? null
                : context.getParentObservation().getContextView().getContextualName();
    }

    @Override
    public void onStart(Observation.Context context) {
        lines.add("start " + context.getContextualName());
    }

    @Override
    public void onEvent(Observation.Event event, Observation.Context context) {
        lines.add("event " + event.getContextualName());
        context.computeIfAbsent(EVENTS, first -> new CopyOnWriteArrayList<String>())
                .add(event.getContextualName());
    }

    @Override
    public void onStop(Observation.Context context) {
        ended.add(context);
        lines.add("stop " + context.getContextualName());
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }
}
