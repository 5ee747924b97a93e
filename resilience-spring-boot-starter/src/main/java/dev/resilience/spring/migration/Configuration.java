package dev.resilience.spring.migration;

import dev.resilience.spring.properties.unknown.ForeignKeys;
import dev.resilience.spring.properties.unknown.Resilience4jTranslation;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The keys of Resilience4j in an application's files, and as those of this library, in the files' own format. */
final class Configuration {

    private static final Pattern FILE = Pattern.compile("(?:application|bootstrap)(-[^.]+)?\\.(ya?ml|properties)");
    private static final Pattern INSTANCE = Pattern.compile("(resilience4j\\.[\\w-]+\\.instances\\.)\\[([^]]*)](.*)");
    private static final Pattern CONDITION = Pattern.compile(
            "(?i)(spring\\.config\\.activate\\.on-?(?:profile|cloud-?platform)|spring\\.profiles)(\\[\\d+])?");

    /** What keys of a module are, which are those of no policy. */
    private static final Map<String, String> OF_MODULES = Map.of(
            "\\w+aspectorder", "resilience.order says it, for all kinds",
            "tags\\..*", "management.metrics.tags.* is for all meters",
            "metrics\\..*", "management.metrics.enable.resilience switches the meters off");

    /** A document of a file: what it is called, whether a profile adds it, its keys. */
    private record Document(String label, boolean isOfProfile, boolean isYaml, Map<String, String> keys) {}

    private final Project project;
    private final List<Document> documents = new ArrayList<>();
    /** Whether files were read, by whether they are YAML. */
    private final Set<Boolean> formats = new HashSet<>();

    Configuration(Project project) {
        this.project = project;
    }

    /** Whether a file of this name is one. */
    static boolean isConfiguration(String fileName) {
        return FILE.matcher(fileName).matches();
    }

    void read(String path, String text) throws IOException {
        String name = path.substring(path.lastIndexOf('/') + 1);
        Matcher file = FILE.matcher(name);
        boolean isOfProfile = file.matches() && file.group(1) != null;
        Map<Integer, String> unread = new TreeMap<>();
        boolean isYaml = !name.endsWith(".properties");
        formats.add(isYaml);
        List<Map<String, String>> read = isYaml ? YamlReader.read(text, unread) : properties(text);
        unread.forEach((line, content) -> project.kept(
                path, line, content.strip(), "this YAML is not understood here; look at what is printed for it"));
        for (Map<String, String> keys : read) {
            String profile = keys.entrySet().stream()
                    .filter(one -> CONDITION.matcher(one.getKey()).matches())
                    .map(Map.Entry::getValue)
                    .collect(Collectors.joining(", "));
            keys.forEach((key, value) -> report(path, key));
            keys.keySet().removeIf(key -> !key.startsWith("resilience4j."));
            project.readBulkheads(keys.keySet());
            if (!keys.isEmpty()) {
                documents.add(new Document(
                        path + (profile.isEmpty() ? "" : ", profile " + profile),
                        isOfProfile || !profile.isEmpty(),
                        isYaml,
                        keys));
            }
        }
    }

    /** Documents are divided by {@code #---} or {@code !---}. */
    private static List<Map<String, String>> properties(String text) throws IOException {
        List<Map<String, String>> documents = new ArrayList<>();
        for (String part : text.split("(?m)^[#!]---\\s*$", -1)) {
            Map<String, String> keys = new LinkedHashMap<>();
            Properties inOrder = new Properties() {
                private static final long serialVersionUID = 1L;

                @Override
                public synchronized Object put(Object key, Object value) {
                    return keys.put(String.valueOf(key), String.valueOf(value));
                }
            };
            inOrder.load(new StringReader(part));
            documents.add(keys);
        }
        return documents;
    }

    private void report(String path, String key) {
        String uniform = ForeignKeys.uniform(key);
        boolean isOfActuator =
                uniform.startsWith("management.") && uniform.matches(".*(circuitbreakers|ratelimiters).*");
        if (uniform.startsWith("resilience4j.circuitbreaker.") && uniform.contains(".recordexceptions")) {
            project.notes.add(
                    "a breaker of Resilience4j counted other exceptions than those of record-exceptions as successes;"
                            + " here transient and unknown ones are failures beside those of record-on: list in ignore-on what is none");
        }
        if (isOfActuator || uniform.startsWith("spring.cloud.circuitbreaker.resilience4j")) {
            project.leftOut(
                    path,
                    key,
                    isOfActuator
                            ? "it is management.*.resilience here"
                            : "see 'Spring Cloud' in docs/from-resilience4j.md");
        }
    }

    /** All documents, each below its name; policies that annotations name and no file has stand in the first. */
    String toText() {
        Map<String, String> missing = missing();
        Document first = documents.stream()
                .filter(document -> !document.isOfProfile())
                .findFirst()
                .orElseGet(this::ofNoFile);
        if (!documents.contains(first) && !(missing.isEmpty() && project.keys.isEmpty())) {
            documents.add(0, first);
        }
        first.keys().putAll(missing);
        StringBuilder text = new StringBuilder();
        for (Document document : documents) {
            Resilience4jTranslation translation =
                    new Resilience4jTranslation(document.keys(), !document.isOfProfile(), project.pools());
            if (document.equals(first)) {
                project.keys.forEach(
                        (kind, byName) -> byName.forEach((name, keys) -> translation.add(kind, name, keys)));
            }
            text.append("# ")
                    .append(document.label())
                    .append('\n')
                    .append(document.isYaml() ? translation.toYaml() : translation.toProperties());
            translation.without().forEach(key -> project.leftOut(document.label(), key, remark(key)));
        }
        return text.toString();
    }

    /** In the format that the application's files have. */
    private Document ofNoFile() {
        boolean isYaml = formats.isEmpty() || formats.contains(true);
        return new Document(
                isYaml ? "application.yml" : "application.properties", false, isYaml, new LinkedHashMap<>());
    }

    private static String remark(String key) {
        if (key.startsWith("resilience4j.ratelimiter.")) {
            return "this version has no rate limits";
        }
        for (Map.Entry<String, String> module : OF_MODULES.entrySet()) {
            if (ForeignKeys.uniform(key).matches("resilience4j\\.\\w+\\." + module.getKey())) {
                return module.getValue();
            }
        }
        String last = key.substring(key.lastIndexOf('.') + 1);
        return new ForeignKeys()
                .all().stream()
                        .filter(entry -> entry.library().contains("Resilience4j")
                                && ForeignKeys.uniform(entry.foreign()).equals(ForeignKeys.uniform(last)))
                        .map(entry -> entry.ours().isEmpty()
                                ? entry.remark()
                                : "'" + entry.ours() + "' in its place: " + entry.remark())
                        .findFirst()
                        .orElse("it has no equivalent");
    }

    /** Policies that Resilience4j made of its defaults, because no file has them. */
    private Map<String, String> missing() {
        Map<String, String> missing = new LinkedHashMap<>();
        project.resilience4j.forEach((key, value) -> {
            Matcher matcher = INSTANCE.matcher(key);
            boolean isThere = matcher.matches()
                    && documents.stream()
                            .flatMap(document -> document.keys().keySet().stream())
                            .anyMatch(written ->
                                    plain(written).startsWith(plain(matcher.group(1) + matcher.group(2) + ".")));
            if (!isThere || !value.isEmpty()) {
                missing.put(key, value);
            }
        });
        return missing;
    }

    private static String plain(String key) {
        return ForeignKeys.uniform(key.replaceAll("[\\[\\]]", "")).replace(".backends.", ".instances.") + ".";
    }
}
