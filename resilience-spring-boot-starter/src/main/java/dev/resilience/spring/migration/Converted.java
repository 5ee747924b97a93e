package dev.resilience.spring.migration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an annotation of another library becomes. */
final class Converted {

    /** Attributes in the order in which they are written. */
    private static final List<String> ORDER = List.of(
            "value",
            "maxAttempts",
            "delay",
            "multiplier",
            "maxDelay",
            "retryOn",
            "doNotRetryOn",
            "retryUnknown",
            "failureThreshold",
            "failureRateThreshold",
            "openDuration",
            "maxConcurrent",
            "maxQueue",
            "on",
            "except");

    final String kind;
    final String annotation;
    final Map<String, String> attributes = new LinkedHashMap<>();
    /** Keys that no attribute has, for the policy of this name. */
    final Map<String, String> keys = new LinkedHashMap<>();

    final List<String> decisions = new ArrayList<>();
    /** Name of the method that answers, in quotes or as a constant. */
    @Nullable
    String fallback;

    Converted(String kind, String annotation) {
        this.kind = kind;
        this.annotation = annotation;
    }

    /** As source, in one line or in several. */
    String toSource(String name, String indent) {
        List<String> written = ORDER.stream()
                .filter(attributes::containsKey)
                .map(attribute -> attribute + " = " + attributes.get(attribute))
                .toList();
        if (attributes.keySet().equals(Set.of("value"))) {
            written = List.of(String.valueOf(attributes.get("value")));
        }
        String line = "@" + name + (written.isEmpty() ? "" : "(" + String.join(", ", written) + ")");
        String deeper = "\n" + indent + "        ";
        return indent.length() + line.length() <= 120
                ? line
                : "@" + name + "(" + deeper + String.join("," + deeper, written) + ")";
    }
}
