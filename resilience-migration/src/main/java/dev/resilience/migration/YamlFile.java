package dev.resilience.migration;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.yaml.MergeYaml;
import org.openrewrite.yaml.YamlIsoVisitor;
import org.openrewrite.yaml.YamlParser;
import org.openrewrite.yaml.tree.Yaml;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Reads the keys of YAML as Spring Boot does, and writes what was decided on each document: as a visitor of one, it removes the
 * keys that moved, and writes a comment where one stays.
 */
final class YamlFile extends YamlIsoVisitor<ExecutionContext> {

    private final Document decided;

    private YamlFile(Document decided) {
        this.decided = decided;
    }

    /** The keys of each document. */
    static List<Map<String, String>> read(Yaml.Documents file) {
        Cursor cursor = new Cursor(new Cursor(null, Cursor.ROOT_VALUE), file);
        List<Map<String, String>> documents = new ArrayList<>();
        for (Yaml.Document document : file.getDocuments()) {
            // what Maven replaces is no YAML before
            String text = document.printTrimmed(cursor).replaceAll("(?m):( +)(@[\\w.-]+@)", ":$1'$2'");
            Map<String, String> keys = new LinkedHashMap<>();
            try {
                flatten("", new org.yaml.snakeyaml.Yaml().load(text), keys);
                documents.add(keys);
            } catch (YAMLException templateOrTag) {
                documents.add(Document.UNREADABLE);
            }
        }
        return documents;
    }

    private static void flatten(String path, @Nullable Object value, Map<String, String> keys) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, below) -> flatten(join(path, String.valueOf(key)), below, keys));
        } else if (value instanceof Collection<?> list) {
            int index = 0;
            for (Object element : list) {
                flatten(path + "[" + index++ + "]", element, keys);
            }
        } else if (value != null || !path.isEmpty()) {
            keys.put(path, value == null ? "" : value.toString());
        }
    }

    private static String join(String path, String key) {
        return path.isEmpty() || key.isEmpty() || key.startsWith("[") ? path + key : path + "." + key;
    }

    static Yaml.Documents write(Yaml.Documents file, List<Document> decided, ExecutionContext context) {
        return file.withDocuments(ListUtils.map(
                file.getDocuments(),
                (index, document) -> decided.get(index).isChanged()
                        ? write(file, document, decided.get(index), context)
                        : document));
    }

    private static Yaml.Document write(
            Yaml.Documents file, Yaml.Document document, Document decided, ExecutionContext context) {
        Yaml.Documents alone = file.withDocuments(List.of(document));
        String added = decided.yaml();
        if (!(document.getBlock() instanceof Yaml.Mapping)) {
            Yaml.Block block = parse(added).getDocuments().get(0).getBlock();
            alone = alone.withDocuments(List.of(document.withBlock(block)));
        } else if (!added.isEmpty()) {
            alone = (Yaml.Documents) new MergeYaml("$", added, true, null, null, null, null, null)
                    .getVisitor()
                    .visitNonNull(alone, context);
        }
        Yaml.Documents written = (Yaml.Documents) new YamlFile(decided).visitNonNull(alone, context);
        boolean isWhole =
                new YamlParser().parse(written.printAll()).findFirst().orElseThrow() instanceof Yaml.Documents;
        // else an alias is left whose anchor went
        return (isWhole ? written : alone).getDocuments().get(0).withEnd(document.getEnd());
    }

    static Yaml.Documents parse(String text) {
        return (Yaml.Documents) new YamlParser().parse(text).findFirst().orElseThrow();
    }

    @Override
    public Yaml.Document visitDocument(Yaml.Document document, ExecutionContext context) {
        Yaml.Document visited = super.visitDocument(document, context);
        return visited.getBlock() instanceof Yaml.Mapping mapping && !document.isExplicit()
                ? visited.withBlock(mapping.withEntries(ListUtils.map(
                        mapping.getEntries(),
                        (index, entry) -> index > 0
                                ? entry
                                : entry.withPrefix(entry.getPrefix().replaceFirst("^\\s*\\n", "")))))
                : visited;
    }

    @Override
    @SuppressWarnings("NullAway") // null removes the entry
    public Yaml.Mapping.Entry visitMappingEntry(Yaml.Mapping.Entry entry, ExecutionContext context) {
        String path = getCursor()
                .getPathAsStream(Yaml.Mapping.Entry.class::isInstance)
                .map(outer -> ((Yaml.Mapping.Entry) outer).getKey().getValue())
                .reduce("", (below, key) -> join(key, below));
        Set<String> keys = new LinkedHashSet<>(decided.keys.keySet());
        keys.removeIf(key -> !key.equals(path) && !key.startsWith(path + ".") && !key.startsWith(path + "["));
        if (!keys.isEmpty() && decided.moved.containsAll(keys)) {
            return null;
        }
        if (entry.getValue() instanceof Yaml.Mapping mapping && mapping.getOpeningBracePrefix() == null) {
            return super.visitMappingEntry(entry, context);
        }
        keys.retainAll(decided.reasons.keySet());
        Set<String> reasons = new LinkedHashSet<>();
        keys.forEach(key -> reasons.add(decided.reasons.get(key)));
        String prefix = entry.getPrefix();
        String line = "# " + Migration.MARK + String.join("; ", reasons);
        return reasons.isEmpty() || prefix.contains(line)
                ? entry
                : entry.withPrefix(prefix + line + "\n" + prefix.substring(prefix.lastIndexOf('\n') + 1));
    }
}
