package dev.resilience.migration;

import dev.resilience.migration.Use.Element;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/** What a recipe has read of all files: on this it decides once, when the first of them is changed. */
final class Project {

    final Library library;
    final List<Element> elements = new ArrayList<>();
    /** All annotations of the library that policies are made of, and the others. */
    final List<Use> uses = new ArrayList<>();

    final List<Use> helpers = new ArrayList<>();
    /** Both by the ids of their trees. */
    final Map<UUID, Use> annotations = new HashMap<>();
    /** What is imported somewhere. */
    final Set<String> imports = new TreeSet<>();
    /** The documents of configuration files, by path. */
    final Map<String, List<Document>> documents = new TreeMap<>();
    /** What constants are made of, by the names of their types and theirs. */
    final Map<String, Expression> constants = new HashMap<>();

    private @Nullable Decisions decisions;

    Project(Library library) {
        this.library = library;
    }

    /** The directory of the module that a file is in, with a slash at its end; empty for the root. */
    static String module(String path) {
        return path.substring(0, Math.max(0, ("/" + path).indexOf("/src/")));
    }

    static String constantName(JavaType.@Nullable Variable variable) {
        return variable == null ? "" : variable.getOwner() + "." + variable.getName();
    }

    /** The text of a literal, of a constant, or of several of them; {@code null} if it is not known. */
    @Nullable
    String constant(@Nullable Expression expression) {
        if (expression instanceof J.Literal literal && literal.getValue() != null) {
            return literal.getValue().toString().replace("\\$", "$"); // as Kotlin escapes it
        }
        if (expression instanceof J.Binary binary && binary.getOperator() == J.Binary.Type.Addition) {
            String left = constant(binary.getLeft());
            String right = constant(binary.getRight());
            return left == null || right == null ? null : left + right;
        }
        J.Identifier name = expression instanceof J.FieldAccess access
                ? access.getName()
                : expression instanceof J.Identifier identifier ? identifier : null;
        return name == null ? null : constant(constants.get(constantName(name.getFieldType())));
    }

    /** What becomes of each annotation; all files must have been read. */
    synchronized Decisions decisions() {
        if (decisions == null) {
            decisions = new Decisions(this);
        }
        return decisions;
    }

    /** The documents of each application, the one that it starts from first; it is new if no file has it. */
    List<List<Document>> applications() {
        Map<String, List<Document>> applications = documents.values().stream()
                .flatMap(List::stream)
                .collect(Collectors.groupingBy(document -> document.application, TreeMap::new, Collectors.toList()));
        if (applications.isEmpty()) {
            uses.forEach(use -> applications.put(use.element.module(), new ArrayList<>()));
        }
        applications.forEach((application, all) -> {
            all.sort(Comparator.comparing(Document::rank).reversed());
            if (all.isEmpty() || !all.get(0).isBase) {
                String module = all.isEmpty() ? application : all.get(0).module;
                all.add(0, new Document(module + "src/main/resources/application.yml", Map.of()));
            }
        });
        return List.copyOf(applications.values());
    }
}
