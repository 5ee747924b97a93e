package dev.resilience.migration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Tree;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.MethodCall;
import org.openrewrite.java.tree.Space;
import org.openrewrite.marker.Markers;

/** An annotation of the library, and what becomes of it: something of this library, or nothing, with the reason. */
final class Use {

    final Element element;
    final String name;
    final String simpleName;
    /** Of the policies that it names; empty if there are none of its kind here. */
    final String kind;

    final Map<String, Expression> written;
    /** Attributes as they will be, and the keys that no attribute has. */
    final Map<String, Expression> attributes = new LinkedHashMap<>();

    final Map<String, String> keys = new LinkedHashMap<>();
    final List<String> comments = new ArrayList<>();

    /** Name of the method that answers. */
    @Nullable
    Expression fallback;

    /** Why it is left as it is; empty if it is not. */
    String reason = "";

    Use(Element element, J.Annotation tree, String name) {
        this.element = element;
        this.name = name;
        this.simpleName = Library.simple(name);
        this.kind = Library.kind(simpleName);
        this.written = Objects.requireNonNullElse(attributes(tree), Map.of());
    }

    /** Whether others need it there, and nothing needs it here. */
    boolean isHelper() {
        return simpleName.matches("Enable.*|Recover");
    }

    /** Leaves it as it is, for the first reason that is found. */
    void keep(String because) {
        reason = reason.isEmpty() ? because : reason;
    }

    boolean stays() {
        return !reason.isEmpty();
    }

    /** The attributes of an annotation, a value without a name is {@code value}; {@code null} if it is none. */
    static @Nullable Map<String, Expression> attributes(Expression annotation) {
        List<Expression> arguments = annotation instanceof J.Annotation plain
                ? plain.getArguments()
                : annotation instanceof MethodCall nested ? nested.getArguments() : null; // as Kotlin has it
        if (arguments == null) {
            return annotation instanceof J.Annotation ? Map.of() : null;
        }
        Map<String, Expression> attributes = new LinkedHashMap<>();
        for (Expression argument : arguments) {
            if (argument instanceof J.Assignment named) {
                attributes.put(name(named.getVariable()), named.getAssignment());
            } else if (!(argument instanceof J.Empty)) {
                attributes.put("value", argument);
            }
        }
        return attributes;
    }

    /** A text as the language of the source writes it. */
    Expression text(String text) {
        String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"");
        return literal(
                text, '"' + (isKotlin() ? escaped.replace("$", "\\$") : escaped) + '"', JavaType.Primitive.String);
    }

    boolean isKotlin() {
        return element.source.getClass().getName().startsWith("org.openrewrite.kotlin.");
    }

    /** A number or a constant of the language, as it is written. */
    static Expression plain(String source) {
        return literal(source, source, JavaType.Primitive.None);
    }

    private static Expression literal(String value, String source, JavaType.Primitive type) {
        return new J.Literal(Tree.randomId(), Space.EMPTY, Markers.EMPTY, value, source, null, type);
    }

    /** As it is written, of a literal alone; empty for all else. */
    static String source(@Nullable Expression value) {
        if (value instanceof J.Unary unary) {
            return "-" + source(unary.getExpression());
        }
        return value instanceof J.Literal literal && literal.getValueSource() != null ? literal.getValueSource() : "";
    }

    /** The last name of a constant, or of one of an enum. */
    static String name(@Nullable Expression value) {
        return value instanceof J.Identifier identifier
                ? identifier.getSimpleName()
                : value instanceof J.FieldAccess access ? access.getSimpleName() : "";
    }

    /**
     * A type or method that has annotations.
     *
     * @param scope the type that it is, or is in
     * @param method the name of the method, or {@code null} for a type
     * @param annotations the full names of all
     * @param uses those that policies are made of
     */
    record Element(
            JavaSourceFile source,
            J.@Nullable ClassDeclaration scope,
            @Nullable String method,
            String returnType,
            List<String> parameters,
            List<String> annotations,
            List<Use> uses) {

        /** The directory of its module, with a slash at its end unless it is the root. */
        String module() {
            return Project.module(Migration.path(source));
        }

        String type() {
            return scope == null ? "" : scope.getSimpleName();
        }

        boolean isBeside(Element other) {
            return scope != null && scope.isScope(other.scope);
        }

        /** The name that a policy without one gets. */
        String policyName() {
            return method == null ? type() : type() + "." + method;
        }
    }

    /** Why an annotation or a policy is left as it is. */
    static final class Undecided extends Exception {

        private static final long serialVersionUID = 1L;

        Undecided(String reason) {
            super(reason, null, false, false);
        }
    }
}
