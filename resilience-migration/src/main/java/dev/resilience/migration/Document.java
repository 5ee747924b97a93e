package dev.resilience.migration;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openrewrite.Cursor;
import org.openrewrite.SourceFile;
import org.openrewrite.properties.PropertiesParser;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.yaml.tree.Yaml;

/**
 * A document of a configuration file: its keys, and what becomes of them.
 *
 * <p>One without a profile in the file {@code application} is what an application starts from; all others lie over one.
 */
final class Document {

    /** The keys of a file that cannot be read. */
    static final Map<String, String> UNREADABLE = Map.of("", "");

    private static final Pattern ELEMENT = Pattern.compile("\\[[^]]*]|[^.\\[]+");

    private static final Pattern FILE =
            Pattern.compile("(?:.*/)?(?:application|bootstrap)(-[^.]+)?\\.(?:ya?ml|properties)");
    private static final Pattern CONDITION =
            Pattern.compile("(?i)spring\\.(config\\.activate\\.on-?(profile|cloud-?platform)|profiles)");

    final String path;
    final String module;
    /** The application that it is a part of: the tests of a module are one if they have a file of their own. */
    final String application;

    final boolean isBase;
    /** As Spring Boot names them, those of the elements of a list as one; one that is empty if they cannot be read. */
    final Map<String, String> keys = new LinkedHashMap<>();

    /** Keys that go, and why others stay. */
    final Set<String> moved = new HashSet<>();

    final Map<String, String> reasons = new LinkedHashMap<>();
    /** New keys. */
    final Map<String, String> added = new TreeMap<>();

    Document(String path, Map<String, String> written) {
        Matcher file = FILE.matcher(path);
        boolean isOfProfile = file.matches() && file.group(1) != null;
        this.path = path;
        module = Project.module(path);
        application = module + (path.startsWith(module + "src/test/") && !isOfProfile ? "test" : "");
        written.forEach((key, value) -> keys.merge(list(key), value, (one, next) -> one + ", " + next));
        isBase = !isOfProfile
                && keys.keySet().stream()
                        .noneMatch(key -> CONDITION.matcher(key).matches());
    }

    static boolean isConfiguration(String path) {
        return FILE.matcher(path).matches();
    }

    static List<Document> read(SourceFile file) {
        List<Map<String, String>> documents = file instanceof Yaml.Documents yaml
                ? YamlFile.read(yaml)
                : List.of(file instanceof Properties.File properties ? keys(properties) : UNREADABLE);
        return documents.stream()
                .map(keys -> new Document(Migration.path(file), keys))
                .toList();
    }

    /** The keys; one of several documents, which {@code #---} divides, cannot be read. */
    private static Map<String, String> keys(Properties.File file) {
        String text = file.printAll();
        java.util.Properties loaded = new java.util.Properties();
        try {
            loaded.load(new StringReader(text));
        } catch (IOException none) {
            throw new UncheckedIOException(none);
        }
        Map<String, String> keys = new TreeMap<>();
        loaded.stringPropertyNames().forEach(key -> keys.put(key, loaded.getProperty(key)));
        return text.lines().anyMatch(line -> line.matches("\\s*[#!]\\s*---\\s*")) ? UNREADABLE : keys;
    }

    /** The higher it is, the more likely is it what an application starts from. */
    int rank() {
        return !isBase ? 0 : keys.keySet().stream().noneMatch(key -> key.startsWith("resilience4j.")) ? 1 : 2;
    }

    boolean isChanged() {
        return !added.isEmpty() || !moved.isEmpty() || !reasons.isEmpty();
    }

    /** The key of a policy, by a name that stands in brackets if it has more than letters, digits and dashes. */
    static String key(String kind, String name, String key) {
        return "resilience." + kind + (name.matches("[\\w-]+") ? "." + name : "[" + name + "]") + "." + key;
    }

    /** The key of a list by the key of an element of it. */
    static String list(String key) {
        return key.replaceFirst("\\[\\d+]$", "");
    }

    /** What stands between the dots of a key, what is in brackets with them. */
    static List<String> elements(String key) {
        return ELEMENT.matcher(key).results().map(MatchResult::group).toList();
    }

    /** What is added, as YAML. */
    String yaml() {
        StringBuilder text = new StringBuilder();
        Set<List<String>> written = new HashSet<>();
        added.forEach((key, value) -> {
            List<String> path = elements(key);
            for (int depth = 0; depth < path.size(); depth++) {
                String name = path.get(depth);
                if (written.add(path.subList(0, depth + 1))) {
                    text.append("  ".repeat(depth))
                            .append(name.startsWith("[") ? '"' + name + '"' : name)
                            .append(depth < path.size() - 1 ? ":\n" : ": " + scalar(value) + "\n");
                }
            }
        });
        return text.toString();
    }

    private static String scalar(String value) {
        boolean isPlain = value.matches("[\\w.$][\\w.$-]*|\\[[\\w.$, -]*]");
        return isPlain ? value : '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** What is added, as lines of a properties file: in ASCII, because Spring Boot reads them as ISO 8859-1. */
    private String properties() {
        StringBuilder text = new StringBuilder();
        added.forEach((key, value) -> {
            String list =
                    value.replaceAll("^\\[(.*)]$", "$1").replace(", ", ",").replace("\\", "\\\\");
            (key.replaceAll("([\\\\ :=])", "\\\\$1") + '=' + list + '\n')
                    .chars()
                    .forEach(c -> text.append(c < 0x7f ? String.valueOf((char) c) : String.format("\\u%04x", c)));
        });
        return text.toString();
    }

    /** Writes what was decided into the properties file that it is. */
    Properties.File write(Properties.File file) {
        Cursor cursor = new Cursor(new Cursor(null, Cursor.ROOT_VALUE), file);
        StringBuilder text = new StringBuilder();
        for (Properties.Content content : file.getContent()) {
            String key = content instanceof Properties.Entry entry ? list(entry.getKey()) : "";
            if (moved.contains(key)) {
                continue;
            }
            String comment = "# " + Migration.MARK + reasons.get(key);
            text.append(text.isEmpty() ? "" : content.getPrefix())
                    .append(reasons.containsKey(key) && text.indexOf(comment) < 0 ? comment + "\n" : "")
                    .append(content.withPrefix("").print(cursor));
        }
        text.append('\n').append(properties());
        Properties.File written = (Properties.File) new PropertiesParser()
                .parse(text.toString().strip())
                .findFirst()
                .orElseThrow();
        return file.withContent(written.getContent());
    }
}
