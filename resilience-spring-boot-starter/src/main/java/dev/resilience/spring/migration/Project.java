package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaTokens.Kind;
import dev.resilience.spring.migration.JavaTokens.Token;
import dev.resilience.spring.properties.unknown.PoolNames;
import dev.resilience.spring.properties.unknown.Resilience4jTranslation;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What the files of one run have in common: constants, the report, and keys that annotations become. */
final class Project {

    /** Keys of this library, by kind and policy. */
    final Map<String, Map<String, Map<String, String>>> keys = new TreeMap<>();

    /** Policies of Resilience4j that annotations name, as keys of theirs. */
    final Map<String, String> resilience4j = new LinkedHashMap<>();

    /** The packages of annotations that stay, whose switches must stay too. */
    final Set<String> keptLibraries = new HashSet<>();

    private final Set<String> threadPools = new HashSet<>();
    private final Set<String> semaphores = new HashSet<>();

    /** Whether a {@code @TimeLimit} was written. */
    boolean hasTimeLimits;

    /** The pages of libraries of which an annotation was converted, and of those that code uses. */
    final Set<String> convertedPages = new HashSet<>();

    final Set<String> codePages = new HashSet<>();

    final Set<String> notes = new TreeSet<>();
    private final Map<String, Set<String>> constants = new HashMap<>();
    private final Map<String, Map<String, String>> valuesOfPolicies = new HashMap<>();
    private final Set<Line> lines = new TreeSet<>(
            Comparator.comparing(Line::path).thenComparing(Line::number).thenComparing(Line::text));

    /** A line of the report; the number of a line in a file, or 0 for all of the file. */
    private record Line(String path, int number, String text) {}

    /** Remembers {@code String NAME = "literal"} of a file. */
    void readConstants(List<Token> tokens) {
        for (int i = 0; i + 4 < tokens.size(); i++) {
            if (tokens.get(i).is("String")
                    && tokens.get(i + 2).is("=")
                    && tokens.get(i + 3).kind() == Kind.STRING
                    && tokens.get(i + 4).is(";")) {
                String text = Expressions.text(tokens.subList(i + 3, i + 4));
                constants
                        .computeIfAbsent(tokens.get(i + 1).text(), name -> new HashSet<>())
                        .add(text == null ? "" : text);
            }
        }
    }

    /** Remembers the bulkheads of both kinds in a configuration. */
    void readBulkheads(Set<String> keys) {
        threadPools.addAll(Resilience4jTranslation.names(keys, Resilience4jTranslation.POOLS));
        semaphores.addAll(Resilience4jTranslation.names(keys, Resilience4jTranslation.SEMAPHORES));
    }

    /** Remembers the bulkheads of both kinds in a source; all constants must have been read. */
    void readBulkheads(JavaSource source) {
        source.elements.stream()
                .flatMap(element -> element.annotations().stream())
                .filter(use ->
                        Resilience4jAnnotations.BULKHEAD.equals(source.fullName(use.name(), Libraries.ANNOTATIONS)))
                .forEach(use -> {
                    List<Token> name = use.attributes().get("name");
                    String literal = name == null ? null : constant(name);
                    if (literal != null) {
                        (Resilience4jAnnotations.isPool(use) ? threadPools : semaphores).add(literal);
                    }
                });
    }

    /** What thread pools are called here; all files must have been read. */
    PoolNames pools() {
        return PoolNames.of(threadPools, semaphores);
    }

    /** The text of a literal or of the one constant of this name; {@code null} if it is neither. */
    @Nullable
    String constant(List<Token> tokens) {
        String literal = Expressions.text(tokens);
        Set<String> values =
                constants.getOrDefault(tokens.get(tokens.size() - 1).text(), Set.of());
        boolean isName = tokens.stream().allMatch(token -> token.isWord() || token.is("."));
        return literal != null
                ? literal
                : isName && values.size() == 1 ? values.iterator().next() : null;
    }

    /** A name for a policy with these values: its own, or with a number where another one has it already. */
    String policyName(String kind, String name, Map<String, String> values) {
        Map<String, String> byName = valuesOfPolicies.computeIfAbsent(kind, key -> new HashMap<>());
        String candidate = name;
        for (int number = 2; !byName.getOrDefault(candidate, values.toString()).equals(values.toString()); number++) {
            candidate = name + "-" + number;
        }
        byName.put(candidate, values.toString());
        return candidate;
    }

    /** A place that stays as it is. */
    void kept(String path, int line, String what, String why) {
        lines.add(new Line(path, line, "kept: " + what + ": " + why));
    }

    /** A key that nothing here has. */
    void leftOut(String path, String key, String why) {
        lines.add(new Line(path, 0, "left out: " + key + ": " + why));
    }

    /** A place that is converted, with something that a person decides. */
    void decide(String path, int line, String what, String why) {
        lines.add(new Line(path, line, "decide: " + what + ": " + why));
    }

    /** All of the report. */
    String report() {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line.path())
                .append(line.number() > 0 ? ":" + line.number() : "")
                .append(' ')
                .append(line.text())
                .append('\n'));
        notes.forEach(note -> text.append("note: ").append(note).append('\n'));
        return text.toString();
    }
}
