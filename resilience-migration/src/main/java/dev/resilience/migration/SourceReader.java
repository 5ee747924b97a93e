package dev.resilience.migration;

import dev.resilience.migration.Use.Element;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.service.AnnotationService;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/** Reads from a Java or Kotlin source what a decision needs: annotations, constants, imports. Changes nothing. */
final class SourceReader extends JavaIsoVisitor<ExecutionContext> {

    private final Project project;
    private final JavaSourceFile source;

    SourceReader(Project project, JavaSourceFile source) {
        this.project = project;
        this.source = source;
    }

    @Override
    public J.Import visitImport(J.Import one, ExecutionContext context) {
        project.imports.add(one.getTypeName());
        return one;
    }

    @Override
    public J.VariableDeclarations.NamedVariable visitVariable(
            J.VariableDeclarations.NamedVariable variable, ExecutionContext context) {
        if (variable.getInitializer() != null && variable.getVariableType() != null) {
            project.constants.put(Project.constantName(variable.getVariableType()), variable.getInitializer());
        }
        return super.visitVariable(variable, context);
    }

    @Override
    public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext context) {
        add(type, null, "", List.of());
        return super.visitClassDeclaration(type, context);
    }

    @Override
    public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
        List<String> parameters = method.getParameters().stream()
                .filter(J.VariableDeclarations.class::isInstance)
                .map(parameter -> text(((J.VariableDeclarations) parameter).getTypeExpression()))
                .toList();
        J.ClassDeclaration scope = getCursor().firstEnclosing(J.ClassDeclaration.class);
        add(scope, method.getSimpleName(), text(method.getReturnTypeExpression()), parameters);
        return super.visitMethodDeclaration(method, context);
    }

    private String text(@Nullable TypeTree type) {
        TypeTree plain = type instanceof J.AnnotatedType annotated ? annotated.getTypeExpression() : type;
        return plain == null ? "" : plain.printTrimmed(getCursor()).replaceAll("\\s", "");
    }

    private void add(
            J.@Nullable ClassDeclaration scope, @Nullable String method, String returnType, List<String> parameters) {
        Element element =
                new Element(source, scope, method, returnType, parameters, new ArrayList<>(), new ArrayList<>());
        for (J.Annotation annotation : service(AnnotationService.class).getAllAnnotations(getCursor())) {
            String name = fullName(annotation);
            element.annotations().add(name);
            if (name.matches(project.library.annotations)) {
                Use use = new Use(element, annotation, name);
                project.annotations.put(annotation.getId(), use);
                (use.isHelper() ? project.helpers : element.uses()).add(use);
            }
        }
        project.uses.addAll(element.uses());
        project.elements.add(element);
    }

    /** The full name of an annotation's type, by its imports where the type is not on the class path. */
    private String fullName(J.Annotation annotation) {
        JavaType.FullyQualified type = TypeUtils.asFullyQualified(annotation.getType());
        if (type != null && !(type instanceof JavaType.Unknown)) {
            return type.getFullyQualifiedName();
        }
        String written = annotation.getAnnotationType().toString();
        return source.getImports().stream()
                .map(J.Import::getTypeName)
                .filter(name -> name.endsWith("." + written))
                .findFirst()
                .orElse(written);
    }
}
