package dev.resilience.migration;

import dev.resilience.migration.Use.Element;
import dev.resilience.migration.Use.Undecided;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.openrewrite.java.tree.J;

/**
 * What becomes of each annotation. All that share a policy go together, and all of a kind do where code handles its exceptions:
 * what is half translated means something else.
 */
final class Decisions {

    private static final String REACTIVE = "(.*\\.)?(Publisher|Single|Maybe|Completable|Observable|Flowable)(<.*)?";
    private static final String THROWABLE = ".*(Exception|Throwable|Error)\\??";

    final List<List<Document>> applications;
    /** The exceptions that no code here gets any more under their old names. */
    final Set<String> renamed = new HashSet<>();

    private final Project project;
    private final Map<String, Integer> methods = new HashMap<>();

    Decisions(Project project) {
        this.project = project;
        applications = project.applications();
        boolean isResilience4j = project.library == Library.RESILIENCE4J;
        project.uses.forEach(this::convert);
        project.elements.forEach(Decisions::refuseConflicts);
        for (List<Document> application : applications) {
            if (application.stream().anyMatch(document -> document.keys.containsKey(""))) {
                convertedIn(application).stream()
                        .filter(use -> isResilience4j || !use.keys.isEmpty())
                        .forEach(use -> use.keep("a configuration file of its application cannot be read"));
            }
        }
        if (isResilience4j) {
            Resilience4jConfiguration configuration = new Resilience4jConfiguration(project, this);
            Library.EXCEPTIONS.keySet().forEach(this::rename);
            configuration.write();
        } else {
            Library.EXCEPTIONS.keySet().forEach(this::rename);
            project.helpers.forEach(this::keepHelper);
            project.uses.stream().filter(use -> !use.stays()).forEach(this::nameByMethod);
        }
    }

    private void convert(Use use) {
        Element element = use.element;
        try {
            if (element.scope() != null
                    && element.method() == null
                    && element.scope().getKind() == J.ClassDeclaration.Kind.Type.Annotation) {
                throw new Undecided("it is part of an annotation; write ours there, and look at its @AliasFor");
            }
            if (element.returnType().matches(REACTIVE)) {
                throw new Undecided(
                        "methods that return " + element.returnType() + " are not rewritten by this version");
            }
            if (project.library == Library.RESILIENCE4J) {
                Resilience4jConfiguration.convert(use, project);
            } else {
                new SpringAnnotations(project, use).convert();
                nameAnswer(use);
            }
        } catch (Undecided undecided) {
            use.keep(String.valueOf(undecided.getMessage()));
        }
    }

    private static void refuseConflicts(Element element) {
        Set<String> written = new HashSet<>(element.annotations());
        Set<String> fallbacks = new TreeSet<>();
        boolean isRetried = element.uses().stream().anyMatch(use -> !use.stays() && use.simpleName.equals("Retry"));
        for (Use use : element.uses()) {
            String ours = Library.annotation(use.kind);
            if (!use.stays() && !written.add("dev.resilience.annotation." + ours)) {
                use.keep("another annotation here becomes @" + ours + " already");
            } else if (!use.stays() && use.fallback != null) {
                String name = Use.source(use.fallback);
                fallbacks.add(name.isEmpty() ? Use.name(use.fallback) : name);
                if (isRetried && !use.kind.equals("retry")) {
                    use.comments.add(
                            "the fallback stood inside of the retry, which retried nothing; here it is outermost");
                }
            }
        }
        boolean isAnswered = !fallbacks.isEmpty() && written.contains("dev.resilience.annotation.Fallback");
        if (fallbacks.size() > 1 || isAnswered) {
            element.uses()
                    .forEach(use -> use.keep("one @Fallback answers for a method, and these are named: "
                            + String.join(", ", fallbacks)));
        }
    }

    /** Those that become something here and are, or may be, in an application. */
    List<Use> convertedIn(List<Document> application) {
        return project.uses.stream()
                .filter(use -> !use.stays() && applicationsOf(use).contains(application))
                .toList();
    }

    /** Those of the module; one without configuration may be a part of all. */
    private List<List<Document>> applicationsOf(Use use) {
        List<List<Document>> own = new ArrayList<>(applications);
        own.removeIf(application -> !application.get(0).module.equals(use.element.module()));
        return own.isEmpty() ? applications : own;
    }

    /**
     * An exception is renamed where all annotations of its kind are converted and no code makes calls through it; else the
     * annotations stay, because a handler cannot tell which of both libraries throws.
     */
    private void rename(String exception) {
        String kind = exception.endsWith("CallNotPermittedException") ? "circuit-breaker" : "bulkhead";
        List<Use> throwing = new ArrayList<>(project.uses);
        throwing.removeIf(use -> !exception.matches(project.library.types) || !use.kind.equals(kind));
        String reason = whyKept(throwing, kind);
        if (!reason.isEmpty() && project.imports.contains(exception)) {
            throwing.forEach(use -> use.keep(Library.simple(exception) + " is handled, and " + reason));
        } else if (reason.isEmpty() && !throwing.isEmpty()) {
            renamed.add(exception);
        }
    }

    /** Why an exception is thrown on under its old name; empty if it is not. */
    private String whyKept(List<Use> throwing, String kind) {
        Stream<String> staying = throwing.stream()
                .filter(Use::stays)
                .map(use -> "@" + use.simpleName + " on " + use.element.policyName() + " stays");
        String part = "(?i).*(" + ForeignKeys.uniform(kind) + "|decorators).*";
        Stream<String> code = project.imports.stream()
                .filter(type -> project.library.isCode(type) && type.matches(part))
                .map(type -> "code uses " + Library.simple(type));
        return Stream.concat(staying, code).findFirst().orElse("");
    }

    /** Names the {@code @Recover} method that answers: Spring Retry looks for it by types, here it is named. */
    private void nameAnswer(Use use) throws Undecided {
        String name = project.constant(use.fallback);
        Set<String> names = new TreeSet<>();
        List<Use> recovers = new ArrayList<>(project.helpers);
        recovers.removeIf(helper -> !helper.name.equals(Library.RECOVER) || !helper.element.isBeside(use.element));
        if (!recovers.isEmpty() && use.element.method() == null) {
            throw new Undecided("name the @Recover methods of this type in @Fallback on the methods they answer for");
        }
        for (Use recover : recovers) {
            String method = String.valueOf(recover.element.method());
            if (name != null ? name.equals(method) : answers(recover.element, use.element)) {
                names.add(method);
            }
        }
        if (names.size() > 1) {
            throw new Undecided("its @Recover methods \"" + String.join("\" and \"", names)
                    + "\" answer for different exceptions: give them one name");
        }
        if (!names.isEmpty()) {
            use.fallback = use.text(names.iterator().next());
        }
    }

    /** By the return type and the first parameters, as far as their names tell. */
    private static boolean answers(Element recover, Element method) {
        List<String> parameters = recover.parameters();
        boolean takesException = !parameters.isEmpty() && parameters.get(0).matches(THROWABLE);
        List<String> arguments = parameters.subList(takesException ? 1 : 0, parameters.size());
        return recover.returnType().equals(method.returnType())
                && Collections.indexOfSubList(method.parameters(), arguments) == 0;
    }

    /** The annotation that enables all stays with any of them, {@code @Recover} if no fallback names its method. */
    private void keepHelper(Use helper) {
        if (helper.name.equals(Library.RECOVER)) {
            boolean isNamed = false;
            boolean isNeeded = false;
            for (Use use : project.uses) {
                if (use.element.isBeside(helper.element)) {
                    String fallback = use.stays() ? null : project.constant(use.fallback);
                    isNamed |= String.valueOf(helper.element.method()).equals(fallback);
                    isNeeded |= use.stays() && (use.element.method() == null || answers(helper.element, use.element));
                }
            }
            if (!isNamed || isNeeded) {
                helper.keep("a method that stays needs it, or no method is known to have it as its answer");
            }
        } else if (project.uses.stream().anyMatch(Use::stays)) {
            helper.keep("annotations that stay need it");
        } else if (helper.written.containsKey("order")) {
            helper.keep("its order is resilience.advice-order here: remove it");
        }
    }

    /**
     * Keys that are no attributes stand in YAML under a name that is written in the annotation as well: the one that the
     * library would choose depends on the classes that implement an interface, and on others of the same simple name.
     */
    private void nameByMethod(Use use) {
        String own = use.element.policyName();
        int number = methods.merge(use.kind + " " + own, 1, Integer::sum);
        String name = number == 1 ? own : own + "-" + number;
        if (number > 1 || !use.keys.isEmpty()) {
            use.attributes.put("value", use.text(name));
        }
        for (List<Document> application : applicationsOf(use)) {
            use.keys.forEach((key, value) -> application.get(0).added.put(Document.key(use.kind, name, key), value));
        }
    }
}
