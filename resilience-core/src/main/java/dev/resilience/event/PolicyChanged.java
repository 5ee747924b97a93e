package dev.resilience.event;

import java.time.Instant;
import java.util.Map;

/**
 * A policy was changed while the application runs.
 *
 * @param by what asked for it: {@code code}, {@code endpoint}, {@code timer} where the time of a
 *     change is over, or {@code refresh} of the environment
 * @param changed the new values, as texts, by key as in YAML: {@code max-concurrent}
 */
public record PolicyChanged(Instant at, String kind, String name, String by, Map<String, String> changed)
        implements ResilienceEvent {

    public PolicyChanged {
        changed = Map.copyOf(changed);
    }
}
