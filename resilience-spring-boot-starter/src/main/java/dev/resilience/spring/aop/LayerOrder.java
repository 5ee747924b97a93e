package dev.resilience.spring.aop;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The order of the layers around a method.
 *
 * @param names the outermost first; a fallback that is not named is the outermost
 */
public record LayerOrder(List<String> names) {

    static final String FALLBACK = "fallback";
    static final String IDEMPOTENT = "idempotent";
    static final String BULKHEAD = "bulkhead";
    static final String CIRCUIT_BREAKER = "circuit-breaker";
    static final String RETRY = "retry";
    static final String TIME_LIMIT = "time-limit";

    /** The order that holds unless the application says otherwise. */
    public static final List<String> DEFAULT =
            List.of(FALLBACK, IDEMPOTENT, BULKHEAD, CIRCUIT_BREAKER, RETRY, TIME_LIMIT);

    public LayerOrder {
        names = names.contains(FALLBACK)
                ? List.copyOf(names)
                : Stream.concat(Stream.of(FALLBACK), names.stream()).toList();
        Set<String> unknown = new LinkedHashSet<>(names);
        unknown.removeAll(DEFAULT);
        if (!unknown.isEmpty()) {
            String first = unknown.iterator().next();
            throw first.equals("rate-limit")
                    ? refuse("this version has no rate limits", "Remove 'rate-limit'.")
                    : refuse("'" + first + "' is not a layer", NearestNames.suggest(first, DEFAULT));
        }
        List<String> doubled = new ArrayList<>(names);
        DEFAULT.forEach(doubled::remove);
        if (!doubled.isEmpty()) {
            throw refuse("'" + doubled.get(0) + "' is there twice", "Name every layer once.");
        }
        Set<String> missing = new LinkedHashSet<>(DEFAULT);
        missing.removeAll(names);
        if (!missing.isEmpty()) {
            throw refuse(missing + " is missing", "Name every layer once.");
        }
    }

    /** Whether fallbacks answer inside of idempotent calls. */
    boolean putsFallbackInsideIdempotent() {
        return names.indexOf(FALLBACK) > names.indexOf(IDEMPOTENT);
    }

    private static ResilienceConfigurationException refuse(String why, String cure) {
        return new ResilienceConfigurationException(
                "The property 'resilience.order' must name every layer once, the outermost first, but " + why,
                cure + " The default is: " + String.join(", ", DEFAULT) + "; 'fallback' may be left out.");
    }
}
