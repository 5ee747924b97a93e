package dev.resilience.event;

import dev.resilience.time.Durations;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * Waits, refusals and transitions in Java Flight Recorder, which switches them on and off: without a recorder nothing is made.
 * The classes of events are loaded with the first one that is recorded, because a runtime image need not have {@code jdk.jfr}.
 */
final class FlightRecords {

    private static final boolean HAS_RECORDER =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecords() {}

    /** Whether any of these is recorded now. */
    static boolean isRecording() {
        return HAS_RECORDER
                && FlightRecorder.isInitialized()
                && (new Wait().isEnabled() || new Refusal().isEnabled() || new Transition().isEnabled());
    }

    static void record(ResilienceEvent event) {
        Occurrence occurrence = Occurrence.of(event);
        if (occurrence != null) {
            OfPolicy made = Objects.requireNonNull(OfPolicy.BY_SORT.get(occurrence.sort()))
                    .get();
            made.kind = event.kind();
            made.policy = event.name();
            made.detail = occurrence.detail();
            made.length = Durations.toNanos(occurrence.length());
            made.commit(); // if it is wanted
        }
    }

    /** What all of them have. */
    @Category("Resilience")
    @StackTrace(false)
    abstract static class OfPolicy extends Event {

        static final Map<String, Supplier<OfPolicy>> BY_SORT =
                Map.of("wait", Wait::new, "refusal", Refusal::new, "transition", Transition::new);

        @Label("Kind")
        String kind = "";

        @Label("Policy")
        String policy = "";

        @Label("Detail")
        String detail = "";

        @Label("Length")
        @Timespan
        long length;
    }

    @Name("resilience.Wait")
    @Label("Wait")
    private static final class Wait extends OfPolicy {}

    @Name("resilience.Refusal")
    @Label("Refusal")
    private static final class Refusal extends OfPolicy {}

    @Name("resilience.Transition")
    @Label("Transition")
    private static final class Transition extends OfPolicy {}
}
