package dev.resilience.migration;

import dev.resilience.migration.Use.Element;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Tree;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JLeftPadded;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.NameTree;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TextComment;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.marker.Markers;

/** Writes what was decided into a Java or Kotlin source: annotations of this library, and comments on what stays. */
final class SourceRewriter extends JavaIsoVisitor<ExecutionContext> {

    private static final String OURS = "dev.resilience.annotation.";

    /** Attributes in the order in which they are written. */
    static final List<String> ATTRIBUTES = List.of(
            "value maxAttempts delay multiplier maxDelay retryOn doNotRetryOn retryUnknown maxConcurrent maxQueue"
                    .split(" ", -1));

    private final Project project;
    private final JavaSourceFile source;
    /** Full names of types whose simple names mean something else in this file. */
    private final Set<String> taken = new HashSet<>();

    private final Set<Element> answered = new HashSet<>();
    private boolean isExplained;

    SourceRewriter(Project project, JavaSourceFile source) {
        this.project = project;
        this.source = source;
        source.getImports().forEach(one -> taken.add(one.getTypeName()));
        taken.removeIf(type -> type.matches(project.library.annotations));
        for (Element element : project.elements) {
            if (element.source().getId().equals(source.getId())) {
                taken.add("." + element.type());
                element.uses().stream().filter(Use::stays).forEach(use -> taken.add(use.name));
            }
        }
    }

    @Override
    public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext context) {
        J.ClassDeclaration visited = super.visitClassDeclaration(type, context);
        if (!isExplained && getCursor().getParentTreeCursor().getValue() instanceof JavaSourceFile) {
            isExplained = true;
            visited = visited.withPrefix(explainImports(visited.getPrefix()));
        }
        J.ClassDeclaration.Kind kind = visited.getPadding().getKind();
        visited = visited.getPadding().withKind(kind.withAnnotations(rewrite(kind.getAnnotations(), kind.getPrefix())));
        return visited.withLeadingAnnotations(rewrite(visited.getLeadingAnnotations(), visited.getPrefix()));
    }

    @Override
    public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
        J.MethodDeclaration visited = super.visitMethodDeclaration(method, context);
        return visited.withLeadingAnnotations(rewrite(visited.getLeadingAnnotations(), visited.getPrefix()));
    }

    @Override
    public J.Modifier visitModifier(J.Modifier modifier, ExecutionContext context) {
        J.Modifier visited = super.visitModifier(modifier, context);
        return visited.withAnnotations(rewrite(visited.getAnnotations(), visited.getPrefix()));
    }

    /** A method's annotations behind its modifiers are those of its return type. */
    @Override
    public J.AnnotatedType visitAnnotatedType(J.AnnotatedType type, ExecutionContext context) {
        J.AnnotatedType visited = super.visitAnnotatedType(type, context);
        return visited.withAnnotations(rewrite(visited.getAnnotations(), visited.getPrefix()));
    }

    private List<J.Annotation> rewrite(List<J.Annotation> annotations, Space before) {
        return ListUtils.flatMap(annotations, annotation -> {
            Use use = project.annotations.get(annotation.getId());
            if (use == null || (use.isHelper() && !use.stays())) {
                return annotation;
            }
            Space prefix = annotation.getPrefix();
            if (use.stays()) {
                return annotation.withPrefix(comment(prefix, before, use.reason));
            }
            maybeRemoveImport(use.name);
            maybeRemoveImport("org.springframework.retry.annotation.Backoff");
            for (String comment : use.comments) {
                prefix = comment(prefix, before, comment);
            }
            for (Comment inside : comments(annotation)) {
                prefix = append(prefix, before, inside);
            }
            String line = "\n" + indent(prefix, before);
            List<J.Annotation> ours = new ArrayList<>();
            ours.add(annotation(Library.annotation(use.kind), use.attributes, line)
                    .withPrefix(prefix));
            if (use.fallback != null && answered.add(use.element)) {
                ours.add(annotation("Fallback", Map.of("value", use.fallback), line));
            }
            return ours;
        });
    }

    /** In one line, or in several where that is too long. */
    private J.Annotation annotation(String name, Map<String, Expression> attributes, String line) {
        List<Expression> arguments = new ArrayList<>();
        for (String attribute : ATTRIBUTES) {
            Expression value = attributes.get(attribute);
            if (value != null) {
                boolean isAlone = attributes.size() == 1 && attribute.equals("value");
                Expression argument = isAlone ? value : assignment(attribute, value);
                arguments.add(argument.withPrefix(arguments.isEmpty() ? Space.EMPTY : Space.SINGLE_SPACE));
            }
        }
        J.Annotation written = new J.Annotation(Tree.randomId(), Space.format(line), Markers.EMPTY, name(name), null)
                .withArguments(arguments);
        Space next = Space.format(line + "        ");
        return written.print(getCursor()).length() <= 121 // the first of them is the end of the line before
                ? written
                : written.withArguments(ListUtils.map(arguments, argument -> argument.withPrefix(next)));
    }

    private static Expression assignment(String attribute, Expression value) {
        return new J.Assignment(
                Tree.randomId(),
                Space.EMPTY,
                Markers.EMPTY,
                TypeTree.build(attribute),
                new JLeftPadded<>(Space.SINGLE_SPACE, value.withPrefix(Space.SINGLE_SPACE), Markers.EMPTY),
                value.getType());
    }

    /** By its full name where its simple one means something else. */
    private NameTree name(String simple) {
        String full = OURS + simple;
        boolean isTaken = taken.stream().anyMatch(other -> other.endsWith("." + simple) && !other.equals(full));
        if (!isTaken) {
            maybeAddImport(full, false);
        }
        TypeTree name = TypeTree.build(isTaken ? full : simple);
        return name.withType(JavaType.ShallowClass.build(full));
    }

    /** The comments within an annotation, which would go with it. */
    private static List<Comment> comments(J.Annotation annotation) {
        return new JavaIsoVisitor<List<Comment>>() {
            @Override
            public Space visitSpace(@Nullable Space space, Space.Location location, List<Comment> found) {
                Space visited = super.visitSpace(space, location, found);
                found.addAll(visited.getComments());
                return visited;
            }
        }.reduce(annotation.withPrefix(Space.EMPTY), new ArrayList<>());
    }

    private static String indent(Space own, Space before) {
        return own.getWhitespace().contains("\n") ? own.getIndent() : before.getIndent();
    }

    /** The prefix with a comment of a line at its end, unless it is there already. */
    private static Space comment(Space prefix, Space before, String text) {
        String marked = " " + Migration.MARK + text;
        boolean isThere = Stream.of(prefix, before)
                .flatMap(space -> space.getComments().stream())
                .anyMatch(comment ->
                        comment instanceof TextComment plain && plain.getText().equals(marked));
        return isThere ? prefix : append(prefix, before, new TextComment(false, marked, "", Markers.EMPTY));
    }

    private static Space append(Space prefix, Space before, Comment comment) {
        List<Comment> comments = List.of(comment.withSuffix("\n" + indent(prefix, before)));
        return prefix.withComments(ListUtils.concatAll(prefix.getComments(), comments));
    }

    /** On the first type of the file, because imports are sorted anew. */
    private Space explainImports(Space prefix) {
        Space explained = prefix;
        for (J.Import one : source.getImports()) {
            String reason = why(one.getTypeName());
            if (!reason.isEmpty()) {
                explained = comment(explained, explained, Library.simple(one.getTypeName()) + ": " + reason);
            }
        }
        return explained;
    }

    private String why(String type) {
        if (project.library.isCode(type)) {
            return "code that uses it stays; see 'In code' in " + project.library.page;
        }
        String ours = Library.EXCEPTIONS.get(type);
        boolean isRenamed = project.decisions().renamed.contains(type);
        if (ours != null && !isRenamed && type.matches(project.library.types)) {
            return "what is protected by this library throws " + ours + " instead";
        }
        boolean isOfTimeLimits = type.equals("java.util.concurrent.TimeoutException")
                && project.uses.stream().anyMatch(use -> use.kind.equals("time-limit") && !use.stays());
        return isOfTimeLimits
                ? "a @TimeLimit ends with TimeLimitExceededException, which is no TimeoutException: handle that, too"
                : "";
    }
}
