package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaSource.Element;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One Java file: what becomes of each annotation of another library. What is not understood stays as it is. */
final class FileConversion {

    private static final String REACTIVE = "(.*\\.)?(Publisher|Single|Maybe|Completable|Observable|Flowable)(<.*)?";

    private static final String REACTOR = "(reactor\\.core\\.publisher\\.)?(Mono|Flux)(<.*)?";

    private final Project project;
    private final String path;
    private final JavaSource source;
    private final Edits edits;
    private final Recovers recovers = new Recovers();
    private final List<Element> switches = new ArrayList<>();
    /** Made when all of the file is known, because names that stay decide how ours are written. */
    private final List<Runnable> replacements = new ArrayList<>();

    FileConversion(Project project, String path, JavaSource source) {
        this.project = project;
        this.path = path;
        this.source = source;
        this.edits = new Edits(source);
    }

    /** Decides on all but the switches, on which all files decide together. */
    void convert() {
        source.imports.stream()
                .filter(one -> Libraries.isCode(one.name()))
                .forEach(one -> project.codePages.add(Libraries.page(one.name())));
        for (Element element : source.elements) {
            if (annotation(element, Libraries.SPRING_RETRY + "Recover") != null) {
                recovers.add(element);
            }
        }
        source.elements.forEach(this::convert);
        replacements.forEach(Runnable::run);
        recovers.converted().forEach(recover -> remove(recover, Libraries.SPRING_RETRY + "Recover"));
        recovers.kept().forEach(recover -> {
            edits.keep("Recover");
            project.keptLibraries.add(Libraries.SPRING_RETRY);
            project.kept(
                    path,
                    line(recover),
                    "@Recover on " + recover.policyName(),
                    "a method that is kept needs it, or no method is known to have it as its answer");
        });
    }

    /** The changes, after all files are converted. */
    Edits result() {
        for (Element element : switches) {
            for (String name : Libraries.SWITCHES) {
                if (annotation(element, name) == null) {
                    continue;
                }
                if (project.keptLibraries.contains(Libraries.of(name))) {
                    project.kept(
                            path, line(element), "@" + Libraries.simple(name), "annotations that need it are kept");
                } else {
                    explainSwitch(element, name);
                    remove(element, name);
                }
            }
        }
        edits.complete(project, path);
        return edits;
    }

    private void convert(Element element) {
        Map<AnnotationUse, String> foreign = new LinkedHashMap<>();
        for (AnnotationUse use : element.annotations()) {
            String name = source.fullName(use.name(), Libraries.ANNOTATIONS);
            if (name != null && Libraries.SWITCHES.contains(name)) {
                switches.add(element);
            } else if (name != null && Libraries.ANNOTATIONS.contains(name) && !name.endsWith(".Recover")) {
                foreign.put(use, name);
            }
        }
        Map<AnnotationUse, Converted> converted = new LinkedHashMap<>();
        Set<String> written = new HashSet<>();
        element.annotations().forEach(use -> written.add(String.valueOf(source.fullName(use.name(), Set.of()))));
        foreign.forEach((use, name) -> {
            try {
                Converted one = convert(element, use, name);
                if (!written.add("dev.resilience.annotation." + one.annotation)) {
                    throw new Undecided("another annotation here becomes @" + one.annotation + " already");
                }
                converted.put(use, one);
            } catch (Undecided undecided) {
                keep(element, use, name, undecided.reason());
            }
        });
        List<String> fallbacks = converted.values().stream()
                .map(one -> one.fallback)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        if (fallbacks.size() > 1 || (!fallbacks.isEmpty() && written.contains("dev.resilience.annotation.Fallback"))) {
            converted
                    .keySet()
                    .forEach(use -> keep(
                            element,
                            use,
                            foreign.getOrDefault(use, ""),
                            "one @Fallback answers for a method, and these are named: "
                                    + String.join(", ", fallbacks)));
            return;
        }
        Ordering.explain(project, path, line(element), element, foreign, converted);
        boolean isAnswered = false;
        for (Map.Entry<AnnotationUse, Converted> one : converted.entrySet()) {
            boolean isFirst = !isAnswered;
            project.convertedPages.add(Libraries.page(foreign.getOrDefault(one.getKey(), "")));
            replacements.add(() -> replace(element, one.getKey(), one.getValue(), isFirst));
            isAnswered |= one.getValue().fallback != null;
        }
    }

    private Converted convert(Element element, AnnotationUse use, String name) throws Undecided {
        if (element.isAnnotationType()) {
            throw new Undecided("it is part of an annotation; write ours there, and look at its @AliasFor");
        }
        if (element.returnType().matches(REACTIVE)) {
            throw new Undecided("methods that return " + element.returnType() + " are not rewritten by this version");
        }
        boolean isResilience4j = name.startsWith(Libraries.RESILIENCE4J);
        boolean isFramework = name.startsWith(Libraries.SPRING_FRAMEWORK);
        Converted converted = isResilience4j
                ? new Resilience4jAnnotations(project).convert(use, Libraries.simple(name))
                : new SpringAnnotations(isFramework).convert(use, Libraries.simple(name));
        if (name.startsWith(Libraries.SPRING_RETRY)) {
            converted.fallback = recovers.find(element, converted.fallback);
        }
        if (!isResilience4j) {
            Libraries.notes(name, converted, project.notes);
        }
        if (element.returnType().matches(REACTOR)) {
            project.notes.add(
                    "on methods that return Mono or Flux, annotations are for each subscription, and each attempt calls"
                            + " the method again; a Flux that has emitted is not retried (retry-after-first-element), and a time limit is"
                            + " for the whole of it");
        }
        return converted;
    }

    private void keep(Element element, AnnotationUse use, String name, String why) {
        edits.keep(use.simpleName());
        project.keptLibraries.add(Libraries.of(name));
        if (name.startsWith(Libraries.SPRING_RETRY)) {
            recovers.keep(element);
        }
        project.kept(path, source.line(use.start()), "@" + use.simpleName() + " on " + element.policyName(), why);
    }

    private void replace(Element element, AnnotationUse use, Converted converted, boolean isFirstAnswer) {
        if (converted.attributes.containsKey("value")) {
            project.resilience4j.putAll(converted.keys);
        } else {
            nameByMethod(element, converted);
        }
        String indent = edits.indent(use.start());
        StringBuilder text = new StringBuilder();
        for (String comment : JavaTokens.comments(source.text, use.start(), use.end())) {
            text.append(comment).append('\n').append(indent);
        }
        text.append(converted.toSource(edits.name(converted.annotation), indent));
        if (converted.fallback != null && isFirstAnswer) {
            Converted fallback = new Converted("fallback", "Fallback");
            fallback.attributes.put("value", converted.fallback);
            text.append('\n').append(indent).append(fallback.toSource(edits.name("Fallback"), indent));
        }
        edits.replace(use.start(), use.end(), text.toString());
        edits.converted(use.simpleName());
        project.hasTimeLimits |= converted.annotation.equals("TimeLimit");
        converted.decisions.forEach(decision -> project.decide(
                path, source.line(use.start()), "@" + use.simpleName() + " on " + element.policyName(), decision));
    }

    /**
     * Keys that are no attributes stand in YAML under a name that is written in the annotation as well: the one that the
     * library would choose depends on the classes that implement an interface, and on others of the same simple name.
     */
    private void nameByMethod(Element element, Converted converted) {
        Map<String, String> values = new LinkedHashMap<>(converted.attributes);
        values.putAll(converted.keys);
        String name = project.policyName(converted.kind, element.policyName(), values);
        if (!name.equals(element.policyName()) || converted.attributes.isEmpty() || !converted.keys.isEmpty()) {
            converted.attributes.put("value", '"' + name + '"');
        }
        if (!converted.keys.isEmpty()) {
            project.keys
                    .computeIfAbsent(converted.kind, kind -> new TreeMap<>())
                    .computeIfAbsent(name, policy -> new LinkedHashMap<>())
                    .putAll(converted.keys);
        }
    }

    private void remove(Element element, String name) {
        AnnotationUse use = annotation(element, name);
        if (use != null) {
            edits.remove(use.start(), use.end());
            edits.converted(use.simpleName());
        }
    }

    /** Other than Spring Boot's auto-configuration, a switch works in every context, and says where its advice stands. */
    private void explainSwitch(Element element, String name) {
        AnnotationUse use = annotation(element, name);
        if (use != null && use.attributes().containsKey("order")) {
            project.decide(
                    path,
                    source.line(use.start()),
                    "@" + Libraries.simple(name),
                    "its order is left out: here every attempt has a transaction of its own, unless resilience.advice-order"
                            + " says otherwise");
        }
        boolean isOfBoot = element.annotations().stream()
                .anyMatch(other -> Set.of("SpringBootApplication", "EnableAutoConfiguration")
                        .contains(other.simpleName()));
        if (!isOfBoot) {
            project.notes.add(
                    "@EnableRetry and @EnableResilientMethods work in every context, this library with Spring Boot's"
                            + " auto-configuration alone: a context of single classes, as of @SpringBootTest(classes = ...) or"
                            + " @SpringJUnitConfig, protects nothing without"
                            + " @ImportAutoConfiguration(ResilienceAutoConfiguration.class)");
        }
    }

    private @Nullable AnnotationUse annotation(Element element, String name) {
        return element.annotations().stream()
                .filter(use -> name.equals(source.fullName(use.name(), Libraries.ANNOTATIONS)))
                .findFirst()
                .orElse(null);
    }

    private int line(Element element) {
        return source.line(element.annotations().get(0).start());
    }
}
