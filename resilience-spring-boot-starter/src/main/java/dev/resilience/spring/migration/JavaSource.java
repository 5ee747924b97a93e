package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaTokens.Token;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the converter sees of a Java file: imports, types, methods and their annotations. Bodies are passed over. */
final class JavaSource {

    private static final Set<String> MODIFIERS = Set.of(
            "public",
            "protected",
            "private",
            "static",
            "final",
            "abstract",
            "default",
            "synchronized",
            "native",
            "strictfp",
            "sealed",
            "non",
            "-",
            "transient",
            "volatile");
    private static final Set<String> TYPES = Set.of("class", "interface", "enum", "record");

    /** An import, with its place. */
    record Import(String name, boolean isStatic, int start, int end) {

        boolean isWildcard() {
            return name.endsWith(".*");
        }

        String simpleName() {
            return name.substring(name.lastIndexOf('.') + 1);
        }
    }

    /** The body of a type: two types of one name are two. */
    record Scope(String type, int start) {}

    /**
     * What annotations stand on.
     *
     * @param scope the type that it is, or is in
     * @param method the name of the method, or {@code null} for a type
     * @param returnType of the method, without blanks
     * @param parameters the types of the method's parameters, without blanks
     */
    record Element(
            Scope scope,
            boolean isAnnotationType,
            @Nullable String method,
            String returnType,
            List<String> parameters,
            List<AnnotationUse> annotations) {

        /** The name that a policy without one gets. */
        String policyName() {
            return method == null ? scope.type() : scope.type() + "." + method;
        }
    }

    final String text;
    final List<Token> tokens;
    final List<Import> imports = new ArrayList<>();
    final List<Element> elements = new ArrayList<>();
    final Set<String> declaredTypes = new HashSet<>();

    JavaSource(String text) {
        this.text = text;
        this.tokens = JavaTokens.of(text);
        Deque<Scope> scopes = new ArrayDeque<>();
        Scope none = new Scope("", 0);
        Scope opened = none;
        int i = 0;
        while (i < tokens.size()) {
            Token token = tokens.get(i);
            if (token.is("import") && scopes.isEmpty()) {
                i = readImport(i);
            } else if (token.is("@") && !isAt(i + 1, "interface")) {
                i = readAnnotated(i, enclosing(scopes));
            } else {
                if (isTypeDeclaration(i)) {
                    opened = new Scope(
                            tokens.get(i + 1).text(), tokens.get(i + 1).start());
                    declaredTypes.add(opened.type());
                } else if (token.is("{")) {
                    scopes.push(opened);
                    opened = none;
                } else if (token.is("}") && !scopes.isEmpty()) {
                    scopes.pop();
                }
                i++;
            }
        }
    }

    private static Scope enclosing(Deque<Scope> scopes) {
        return scopes.stream()
                .filter(scope -> !scope.type().isEmpty())
                .findFirst()
                .orElse(new Scope("", 0));
    }

    private boolean isTypeDeclaration(int index) {
        boolean isRecord = isAt(index, "record") && !(isAt(index + 2, "(") || isAt(index + 2, "<"));
        return TYPES.contains(text(index))
                && !isAt(index - 1, ".")
                && !isRecord
                && index + 1 < tokens.size()
                && tokens.get(index + 1).isWord();
    }

    private int readImport(int at) {
        StringBuilder name = new StringBuilder();
        boolean isStatic = isAt(at + 1, "static");
        int i = at + (isStatic ? 2 : 1);
        while (i < tokens.size() && !tokens.get(i).is(";")) {
            name.append(tokens.get(i++).text());
        }
        int end = i < tokens.size() ? tokens.get(i).end() : text.length();
        imports.add(new Import(name.toString(), isStatic, tokens.get(at).start(), end));
        return i + 1;
    }

    private int readAnnotated(int at, Scope scope) {
        List<AnnotationUse> annotations = new ArrayList<>();
        int i = at;
        while (i < tokens.size()) {
            if (isAt(i, "@") && !isAt(i + 1, "interface")) {
                AnnotationUse use = AnnotationUse.read(tokens, i);
                if (use == null) {
                    return tokens.size();
                }
                annotations.add(use);
                i = use.next();
            } else if (MODIFIERS.contains(text(i))) {
                i++;
            } else {
                break;
            }
        }
        Element element = element(i, scope, annotations);
        if (element != null) {
            elements.add(element);
        }
        return i;
    }

    /** The type or method that is declared from the index on; {@code null} for fields, constructors and parameters. */
    private @Nullable Element element(int at, Scope scope, List<AnnotationUse> annotations) {
        boolean isAnnotationType = isAt(at, "@");
        int i = isAnnotationType ? at + 1 : at;
        if (isTypeDeclaration(i)) {
            Scope declared = new Scope(text(i + 1), tokens.get(i + 1).start());
            return new Element(declared, isAnnotationType, null, "", List.of(), annotations);
        }
        int from = isAt(i, "<") ? afterTypeParameters(i) : i;
        int name = from;
        while (name + 1 < tokens.size() && !isAt(name + 1, "(")) {
            if (Set.of(";", "=", "{", "}", ")").contains(text(name))) {
                return null;
            }
            name++;
        }
        int close = name + 1 < tokens.size() ? AnnotationUse.closing(tokens, name + 1) : tokens.size();
        if (name == from || close >= tokens.size() || !tokens.get(name).isWord()) {
            return null;
        }
        List<String> parameters = AnnotationUse.split(tokens.subList(name + 2, close)).stream()
                .map(JavaSource::typeOfParameter)
                .toList();
        return new Element(scope, false, text(name), join(tokens.subList(from, name)), parameters, annotations);
    }

    private int afterTypeParameters(int at) {
        int depth = 0;
        int i = at;
        do {
            depth += isAt(i, "<") ? 1 : isAt(i, ">") ? -1 : 0;
            i++;
        } while (depth > 0 && i < tokens.size());
        return i;
    }

    private static String typeOfParameter(List<Token> parameter) {
        int from = 0;
        while (from < parameter.size()
                && (parameter.get(from).is("@") || parameter.get(from).is("final"))) {
            AnnotationUse use = parameter.get(from).is("@") ? AnnotationUse.read(parameter, from) : null;
            from = use == null ? from + 1 : use.next();
        }
        return join(parameter.subList(from, Math.max(from, parameter.size() - 1)));
    }

    private static String join(List<Token> tokens) {
        return tokens.stream().map(Token::text).collect(Collectors.joining());
    }

    private String text(int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).text() : "";
    }

    private boolean isAt(int index, String text) {
        return text(index).equals(text);
    }

    /** The full name of a type by a name in this file; {@code null} if nothing here tells. */
    @Nullable
    String fullName(String written, Set<String> known) {
        if (known.contains(written)) {
            return written;
        }
        if (written.contains(".") || declaredTypes.contains(written)) {
            return null;
        }
        for (Import one : imports) {
            if (!one.isStatic() && !one.isWildcard() && one.simpleName().equals(written)) {
                return one.name();
            }
        }
        return imports.stream()
                .filter(one -> !one.isStatic() && one.isWildcard())
                .map(one -> one.name().substring(0, one.name().length() - 1) + written)
                .filter(known::contains)
                .findFirst()
                .orElse(null);
    }

    int line(int offset) {
        return 1 + (int) text.chars().limit(offset).filter(one -> one == '\n').count();
    }
}
