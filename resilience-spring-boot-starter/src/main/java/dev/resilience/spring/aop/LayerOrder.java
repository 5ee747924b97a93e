package dev.resilience.spring.aop;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The order of the layers around a method.
 *
 * @param names the outermost first
 */
public record LayerOrder(List<String> names) {

    static final String IDEMPOTENT = "idempotent";
    static final String BULKHEAD = "bulkhead";
    static final String CIRCUIT_BREAKER = "circuit-breaker";
    static final String RETRY = "retry";
    static final String TIME_LIMIT = "time-limit";

    /** The order that holds unless the application says otherwise. */
    public static final List<String> DEFAULT = List.of(IDEMPOTENT, BULKHEAD, CIRCUIT_BREAKER, RETRY, TIME_LIMIT);

    public LayerOrder {
        names = List.copyOf(names);
        Set<String> unknown = new LinkedHashSet<>(names);
        unknown.removeAll(DEFAULT);
        if (!unknown.isEmpty()) {
            String first = unknown.iterator().next();
            throw refuse(names, "'" + first + "' is not a layer", NearestNames.suggest(first, DEFAULT));
        }
        List<String> doubled = new ArrayList<>(names);
        DEFAULT.forEach(doubled::remove);
        if (!doubled.isEmpty()) {
            throw refuse(names, "'" + doubled.get(0) + "' is there twice", "Name every layer once.");
        }
        Set<String> missing = new LinkedHashSet<>(DEFAULT);
        missing.removeAll(names);
        if (!missing.isEmpty()) {
            throw refuse(names, missing + " is missing", "Name every layer once.");
        }
    }

    private static ResilienceConfigurationException refuse(List<String> names, String why, String cure) {
        return new ResilienceConfigurationException(
                "The property 'resilience.order' must name every layer once, the outermost first, but " + why + ": "
                        + String.join(", ", names),
                cure + " The default is: " + String.join(", ", DEFAULT) + ".");
    }
}
