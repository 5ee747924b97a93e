package dev.resilience.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps that keep the order in which they were written, for people to read. */
final class Details {

    private Details() {}

    static Map<String, Object> of(Object... keysAndValues) {
        Map<String, Object> details = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            details.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return Collections.unmodifiableMap(details);
    }
}
