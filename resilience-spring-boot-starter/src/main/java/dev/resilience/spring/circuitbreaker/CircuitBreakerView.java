package dev.resilience.spring.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreakerStatus;
import dev.resilience.time.Timestamps;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A circuit breaker's state: what it is, why, since when and until when. What is not known is left out. */
final class CircuitBreakerView {

    private CircuitBreakerView() {}

    static Map<String, Object> of(CircuitBreakerStatus status) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("state", status.state().name());
        put(view, "since", text(status.since()));
        put(view, "reason", status.reason());
        put(view, "lastFailure", status.lastFailure());
        put(view, "openedAt", text(status.openedAt()));
        if (status.nextProbe() != null) {
            put(view, "nextProbe", text(status.nextProbe()));
            view.put("probeDue", status.probeDue());
        }
        view.put("failedProbes", status.failedProbes());
        view.put("refused", status.refused());
        CircuitBreakerStatus.Probing probing = status.probing();
        if (probing != null) {
            view.put("probes", probes(probing));
        }
        CircuitBreakerStatus.RampUp ramp = status.ramp();
        if (ramp != null) {
            view.put("ramp", Map.of("share", ramp.share(), "until", Timestamps.text(ramp.until())));
        }
        if (!Double.isNaN(status.failureRate())) {
            view.put("failureRate", status.failureRate());
        }
        view.put("windowCalls", status.windowCalls());
        return view;
    }

    private static Map<String, Object> probes(CircuitBreakerStatus.Probing probing) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("inFlight", probing.inFlight());
        view.put("maxConcurrent", probing.maxConcurrent());
        view.put("succeeded", probing.succeeded());
        view.put("successThreshold", probing.successThreshold());
        return view;
    }

    private static void put(Map<String, Object> view, String key, @Nullable Object value) {
        if (value != null) {
            view.put(key, value);
        }
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : Timestamps.text(time);
    }
}
