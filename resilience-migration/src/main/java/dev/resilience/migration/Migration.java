package dev.resilience.migration;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.ChangeType;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.yaml.tree.Yaml;

/**
 * Moves from one library: reads all files, decides once, and changes sources and configuration. What it cannot translate stays
 * as it was, with a comment that says why.
 */
abstract class Migration extends ScanningRecipe<Project> {

    /** How comments of this module begin. */
    static final String MARK = "resilience-migration: ";

    private final Library library;

    Migration(Library library) {
        this.library = library;
    }

    @Override
    public String getDisplayName() {
        return "Move " + getClass().getSimpleName().replaceAll("(?=[A-Z])", " ").strip();
    }

    @Override
    public String getDescription() {
        return "Rewrites annotations and configuration as " + library.page
                + " says; what cannot be translated stays, with a comment.";
    }

    @Override
    public Project getInitialValue(ExecutionContext context) {
        return new Project(library);
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Project project) {
        return new TreeVisitor<Tree, ExecutionContext>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof JavaSourceFile source) {
                    new SourceReader(project, source).visit(source, context);
                } else if (tree instanceof SourceFile file && Document.isConfiguration(path(file))) {
                    project.documents.put(path(file), Document.read(file));
                }
                return tree;
            }
        };
    }

    static String path(SourceFile file) {
        return file.getSourcePath().toString().replace('\\', '/');
    }

    @Override
    public Collection<SourceFile> generate(Project project, ExecutionContext context) {
        return project.decisions().applications.stream()
                .map(application -> application.get(0))
                .filter(first -> first.isChanged() && !project.documents.containsKey(first.path))
                .<SourceFile>map(first -> YamlFile.parse(first.yaml()).withSourcePath(Path.of(first.path)))
                .toList();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Project project) {
        return new TreeVisitor<Tree, ExecutionContext>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext context) {
                if (tree instanceof JavaSourceFile source) {
                    return rewrite(project, source, context);
                }
                List<Document> documents = tree instanceof SourceFile file ? project.documents.get(path(file)) : null;
                if (documents == null || documents.stream().noneMatch(Document::isChanged)) {
                    return tree;
                }
                return tree instanceof Yaml.Documents yaml
                        ? YamlFile.write(yaml, documents, context)
                        : tree instanceof Properties.File file
                                ? documents.get(0).write(file)
                                : tree;
            }
        };
    }

    private static Tree rewrite(Project project, JavaSourceFile source, ExecutionContext context) {
        Tree rewritten = new SourceRewriter(project, source).visitNonNull(source, context);
        AnnotationMatcher goes = new AnnotationMatcher("@" + Library.RECOVER) {
            @Override
            public boolean matches(J.Annotation annotation) {
                Use use = project.annotations.get(annotation.getId());
                return use != null && use.isHelper() && !use.stays();
            }
        };
        rewritten = new RemoveAnnotationVisitor(goes).visitNonNull(rewritten, context);
        for (String exception : project.decisions().renamed) {
            rewritten = new ChangeType(exception, Library.EXCEPTIONS.getOrDefault(exception, ""), true)
                    .getVisitor()
                    .visitNonNull(rewritten, context);
        }
        return rewritten;
    }
}
