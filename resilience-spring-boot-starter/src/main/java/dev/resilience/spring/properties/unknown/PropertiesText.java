package dev.resilience.spring.properties.unknown;

import java.util.Map;
import java.util.stream.Collectors;

/** Keys of policies as lines of a properties file, ready to be pasted. */
final class PropertiesText {

    private PropertiesText() {}

    /** Policies by kind and name, kinds in their order; a policy without keys has no line. */
    static String of(Map<String, Map<String, Map<String, String>>> policies) {
        return YamlText.KINDS.stream()
                .flatMap(kind -> policies.getOrDefault(kind, Map.of()).entrySet().stream()
                        .flatMap(policy -> policy.getValue().entrySet().stream()
                                .map(key -> line(kind, policy.getKey(), key.getKey(), key.getValue()))))
                .collect(Collectors.joining());
    }

    private static String line(String kind, String name, String key, String value) {
        String policy = YamlText.isPlain(name) ? '.' + name : '[' + name.replaceAll("([\\\\ :=])", "\\\\$1") + ']';
        String list =
                value.matches("\\[.*]") ? value.substring(1, value.length() - 1).replace(", ", ",") : value;
        return ascii("resilience." + kind + policy + '.' + key + '=' + list.replace("\\", "\\\\")) + '\n';
    }

    /** Spring Boot reads properties files as ISO 8859-1. */
    private static String ascii(String line) {
        return line.chars()
                .mapToObj(c -> c < 0x7f ? String.valueOf((char) c) : String.format("\\u%04x", c))
                .collect(Collectors.joining());
    }
}
