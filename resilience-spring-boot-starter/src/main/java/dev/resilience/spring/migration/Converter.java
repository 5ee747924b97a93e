package dev.resilience.spring.migration;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code java -jar resilience-spring-boot-starter.jar [--write] PATH...}: see docs/converter.md. */
final class Converter {

    private static final String USAGE = """
        Rewrites annotations of Resilience4j, Spring Retry and Spring Framework 7 to those of this library, and prints
        keys under 'resilience4j' as those of this library.

            java -jar resilience-spring-boot-starter.jar [--write] PATH...

        PATH is a directory or a file: .java, application*.yml, application*.properties. Without --write nothing is changed.
        """;

    private static final Set<String> PASSED_OVER = Set.of("target", "build", "out", "bin", "node_modules");

    private static final Pattern KEY_OF_RESILIENCE4J = Pattern.compile("(?im)^[^#\\n]*resilience4j[._:]");

    private final Project project = new Project();
    private final Configuration configuration = new Configuration(project);
    private final Map<Path, String> texts = new LinkedHashMap<>();
    private final Map<Path, FileConversion> conversions = new LinkedHashMap<>();
    private final boolean writes;
    private final PrintStream out;

    private Converter(boolean writes, PrintStream out) {
        this.writes = writes;
        this.out = out;
    }

    /** Prints to the standard output; ends with 2 if no path is given, or one that is not there. */
    public static void main(String[] arguments) throws IOException {
        int status = run(arguments, System.out);
        if (status != 0) {
            System.exit(status);
        }
    }

    static int run(String[] arguments, PrintStream out) throws IOException {
        List<Path> paths = Arrays.stream(arguments)
                .filter(argument -> !argument.startsWith("--"))
                .map(Path::of)
                .toList();
        boolean writes = List.of(arguments).contains("--write");
        if (paths.isEmpty()
                || arguments.length > paths.size() + (writes ? 1 : 0)
                || !paths.stream().allMatch(Files::exists)) {
            out.print(USAGE);
            return 2;
        }
        new Converter(writes, out).convert(paths);
        return 0;
    }

    private void convert(List<Path> paths) throws IOException {
        for (Path path : paths) {
            for (Path file : files(path)) {
                read(file);
            }
        }
        Map<Path, JavaSource> sources = new LinkedHashMap<>();
        texts.forEach((file, text) -> sources.put(file, new JavaSource(text)));
        sources.values().forEach(source -> project.readConstants(source.tokens));
        sources.values().forEach(project::readBulkheads);
        sources.forEach((file, source) -> conversions.put(file, new FileConversion(project, shown(file), source)));
        conversions.values().forEach(FileConversion::convert);
        int changed = 0;
        for (Map.Entry<Path, FileConversion> one : conversions.entrySet()) {
            Edits edits = one.getValue().result();
            if (!edits.diff().isEmpty()) {
                changed++;
                write(one.getKey(), edits);
            }
        }
        section("Configuration", configuration.toText());
        section("To decide", project.report());
        out.println((writes ? "Changed " : "Would change (--write does) ") + changed + " of " + texts.size()
                + " Java files.");
    }

    private void section(String heading, String text) {
        if (!text.isEmpty()) {
            out.println("== " + heading + "\n");
            out.println(text);
        }
    }

    private static List<Path> files(Path path) throws IOException {
        try (Stream<Path> found = Files.walk(path)) {
            return found.filter(Files::isRegularFile)
                    .filter(file -> isSource(path.relativize(file)))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isSource(Path relative) {
        for (Path part : relative) {
            String name = part.toString();
            boolean isHidden = name.length() > 1 && name.startsWith(".") && !name.equals("..");
            if (isHidden || PASSED_OVER.contains(name)) {
                return false;
            }
        }
        return true;
    }

    private void read(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        boolean isBuild = name.equals("pom.xml") || name.matches("build\\.gradle(\\.kts)?");
        if (!name.matches(".*\\.(java|kt|groovy|ya?ml|properties)") && !isBuild) {
            return;
        }
        String text;
        try {
            text = Files.readString(file);
        } catch (MalformedInputException notUtf8) {
            project.kept(shown(file), 0, name, "it is not UTF-8");
            return;
        }
        if (name.endsWith(".java")) {
            texts.put(file, text.replace("\r\n", "\n"));
        } else if (isBuild) {
            for (String library : List.of("resilience4j", "spring-retry")) {
                if (text.contains(library)) {
                    project.kept(
                            shown(file),
                            0,
                            library,
                            "remove the dependency when nothing uses it, and add this library");
                }
            }
        } else if (Configuration.isConfiguration(name)) {
            configuration.read(shown(file), text);
        } else if (name.matches(".*\\.(ya?ml|properties)")) {
            if (KEY_OF_RESILIENCE4J.matcher(text).find()) {
                project.kept(
                        shown(file), 0, name, "only application* and bootstrap* are read; it has keys of Resilience4j");
            }
        } else if (text.lines()
                .anyMatch(line -> line.startsWith("import ") && Libraries.isForeign(line.substring(7)))) {
            project.kept(shown(file), 0, name, "only Java sources are rewritten");
        }
    }

    private static String shown(Path file) {
        return file.toString().replace('\\', '/');
    }

    private void write(Path file, Edits edits) throws IOException {
        if (!writes) {
            out.print("--- " + shown(file) + "\n" + edits.diff());
            return;
        }
        String after = edits.result();
        boolean isOfWindows = Files.readString(file).contains("\r\n");
        Files.writeString(file, isOfWindows ? after.replace("\n", "\r\n") : after, StandardCharsets.UTF_8);
        out.println("rewritten: " + shown(file));
    }
}
