package dev.resilience.migration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Parser;
import org.openrewrite.Recipe;
import org.openrewrite.Result;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.InMemoryLargeSourceSet;
import org.openrewrite.java.JavaParser;
import org.openrewrite.kotlin.KotlinParser;
import org.openrewrite.properties.PropertiesParser;
import org.openrewrite.tree.ParseError;
import org.openrewrite.yaml.YamlParser;

/** Files of an application by path, and what recipes make of them. */
record Sources(Map<String, String> files) {

    /** What the sources name, because to read all of the class path takes long. */
    private static final List<Path> CLASS_PATH = JavaParser.runtimeClasspath().stream()
            .filter(
                    entry -> entry.toString()
                            .matches(
                                    ".*/(resilience4j|spring-(retry|context|core|tx|web|boot|boot-autoconfigure)-\\d|kotlin-stdlib|reactor-core)[^/]*"))
            .toList();

    private static final List<Recipe> ALL =
            List.of(new FromResilience4j(), new FromSpringRetry(), new FromSpringFramework());

    static Sources of(String... pathsAndTexts) {
        Map<String, String> files = new LinkedHashMap<>();
        for (int i = 0; i < pathsAndTexts.length; i += 2) {
            files.put(pathsAndTexts[i], pathsAndTexts[i + 1]);
        }
        return new Sources(files);
    }

    static Sources in(Path directory) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> found = Files.walk(directory)) {
            for (Path file : found.filter(Files::isRegularFile).toList()) {
                files.put(directory.relativize(file).toString(), Files.readString(file));
            }
        }
        return new Sources(files);
    }

    /** What all three recipes make of them. */
    Sources migrated() {
        return migrated(ALL.toArray(Recipe[]::new));
    }

    Sources migrated(Recipe... recipes) {
        ExecutionContext context = new InMemoryExecutionContext(failure -> {
            throw new AssertionError(failure);
        });
        Map<String, SourceFile> sources = new TreeMap<>();
        parse().forEach(source -> sources.put(source.getSourcePath().toString(), source));
        Map<String, String> migrated = new TreeMap<>(files);
        for (Recipe recipe : recipes) {
            for (Result result : recipe.run(new InMemoryLargeSourceSet(List.copyOf(sources.values())), context)
                    .getChangeset()
                    .getAllResults()) {
                SourceFile after = result.getAfter();
                sources.put(after.getSourcePath().toString(), after);
                migrated.put(after.getSourcePath().toString(), after.printAll());
            }
        }
        return new Sources(migrated);
    }

    private List<SourceFile> parse() {
        List<SourceFile> parsed = new ArrayList<>();
        parsed.addAll(parse(JavaParser.fromJavaVersion().classpath(CLASS_PATH)::build, ".java"));
        parsed.addAll(parse(KotlinParser.builder().classpath(CLASS_PATH)::build, ".kt"));
        parsed.addAll(parse(YamlParser::new, ".yml"));
        parsed.addAll(parse(YamlParser::new, ".yaml"));
        parsed.addAll(parse(PropertiesParser::new, ".properties"));
        return parsed;
    }

    private List<SourceFile> parse(Supplier<? extends Parser> parser, String suffix) {
        List<Parser.Input> inputs = new ArrayList<>();
        files.forEach((path, text) -> {
            if (path.endsWith(suffix)) {
                inputs.add(Parser.Input.fromString(Path.of(path), text));
            }
        });
        List<SourceFile> parsed = inputs.isEmpty()
                ? List.of()
                : parser.get()
                        .parseInputs(inputs, null, new InMemoryExecutionContext(failure -> {}))
                        .toList();
        for (SourceFile one : parsed) {
            if (one instanceof ParseError error && !suffix.equals(".yml")) {
                throw new AssertionError(error.getSourcePath() + " is not parsed: " + error.getText());
            }
        }
        return parsed;
    }

    String get(String path) {
        return files.getOrDefault(path, "");
    }
}
