package dev.resilience.spring.aop;

import dev.resilience.spring.MistakeKind;
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
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        Set<String> unknown = new LinkedHashSet<>(names);
        unknown.removeAll(DEFAULT);
        for (String name : unknown) {
            mistakes.add(
                    name.equals("rate-limit")
                            ? mistake("this version has no rate limits", "Remove 'rate-limit'.")
                            : mistake("'" + name + "' is not a layer", NearestNames.suggest(name, DEFAULT)));
        }
        for (String name : DEFAULT) {
            if (names.indexOf(name) != names.lastIndexOf(name)) {
                mistakes.add(mistake("'" + name + "' is there twice", "Name every layer once."));
            }
        }
        Set<String> missing = new LinkedHashSet<>(DEFAULT);
        missing.removeAll(names);
        unknown.remove("rate-limit");
        if (missing.size() > unknown.size()) { // an unknown name stands for one of them
            mistakes.add(mistake(missing + " is missing", "Name every layer once."));
        }
        if (!mistakes.isEmpty()) {
            throw ResilienceConfigurationException.of(mistakes);
        }
    }

    /** Whether fallbacks answer inside of idempotent calls. */
    boolean putsFallbackInsideIdempotent() {
        return names.indexOf(FALLBACK) > names.indexOf(IDEMPOTENT);
    }

    private static ResilienceConfigurationException mistake(String why, String cure) {
        return new ResilienceConfigurationException(
                MistakeKind.VALUES,
                "The property 'resilience.order' must name every layer once, the outermost first, but " + why,
                cure + " The default is: " + String.join(", ", DEFAULT) + "; 'fallback' may be left out.");
    }
}
