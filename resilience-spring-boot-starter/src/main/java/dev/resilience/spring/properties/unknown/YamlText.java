package dev.resilience.spring.properties.unknown;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keys of a policy as YAML, ready to be pasted. */
final class YamlText {

    /** The kinds that other libraries have, in the order in which they are written. */
    static final List<String> KINDS = List.of("retry", "circuit-breaker", "bulkhead", "time-limit");

    private YamlText() {}

    /** Policies by kind and name, kinds in their order, from {@code resilience} on and with a line break at the end. */
    static String of(Map<String, Map<String, Map<String, String>>> policies) {
        StringBuilder text = new StringBuilder("resilience:");
        KINDS.forEach(kind -> {
            if (policies.containsKey(kind)) {
                text.append("\n  ").append(kind).append(':');
                policies.getOrDefault(kind, Map.of()).forEach((name, keys) -> append(text, 4, name, keys));
            }
        });
        return text.append('\n').toString();
    }

    /** Appends a policy, each line of it on a new one. */
    private static void append(StringBuilder text, int indent, String name, Map<String, String> keys) {
        String blanks = " ".repeat(indent);
        text.append('\n').append(blanks).append(quoted(name)).append(keys.isEmpty() ? ": {}" : ":");
        Map<String, Map<String, String>> groups = new LinkedHashMap<>();
        keys.forEach((key, value) -> {
            int dot = key.indexOf('.');
            if (dot > 0) {
                groups.computeIfAbsent(key.substring(0, dot), group -> new LinkedHashMap<>())
                        .put(key.substring(dot + 1), value);
            } else {
                line(text, blanks + "  ", key, value);
            }
        });
        groups.forEach((group, below) -> {
            text.append('\n').append(blanks).append("  ").append(group).append(':');
            below.forEach((key, value) -> line(text, blanks + "    ", key, value));
        });
    }

    private static void line(StringBuilder text, String blanks, String key, String value) {
        boolean plain = value.matches("[A-Za-z0-9._$][A-Za-z0-9._$-]*|\\[[A-Za-z0-9._$, -]*]");
        text.append('\n')
                .append(blanks)
                .append(key)
                .append(": ")
                .append(plain ? value : '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"');
    }

    private static String quoted(String name) {
        return isPlain(name) ? name : "\"[" + name + "]\"";
    }

    /** As {@code PropertyNames} has it, which the converter cannot ask: it runs with this jar alone. */
    static boolean isPlain(String name) {
        return name.matches("[\\w-]+");
    }
}
