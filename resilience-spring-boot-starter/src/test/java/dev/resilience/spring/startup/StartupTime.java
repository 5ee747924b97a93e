package dev.resilience.spring.startup;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * How much longer an application takes to start because of this library: the medians of fresh processes that start the
 * same beans with it and with an advisor that does nothing, in turns. Asserts nothing and runs only where it is asked for:
 * {@code docs/benchmarks.md} has the command.
 */
class StartupTime {

    private static final Pattern STARTED = Pattern.compile("started in (\\d+) ms, worked (\\d+) ms");
    private static final int RUNS = Integer.getInteger("startup.runs", 7);

    @Test
    void besideAnAdvisorThatDoesNothing() throws IOException, InterruptedException {
        System.out.println("| application | | with an advisor that does nothing | with this library | difference |");
        System.out.println("|---|---|---:|---:|---:|");
        compare("50 beans, 500 annotated methods, 200 policies", 50, 10, 50);
        compare("2,000 beans without annotations", 2_000, 0, 0);
    }

    private static void compare(String name, int beans, int methods, int policiesOfAKind)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("startup");
        write(directory, beans, methods, policiesOfAKind);
        List<Run> noOp = new ArrayList<>();
        List<Run> ours = new ArrayList<>();
        for (int i = 0; i < RUNS; i++) {
            noOp.add(start("no-op", directory));
            ours.add(start("ours", directory));
        }
        print(name + " | elapsed", noOp, ours, Run::elapsed);
        print(" | the starting thread at work", noOp, ours, Run::worked);
    }

    private static void print(String name, List<Run> noOp, List<Run> ours, ToLongFunction<Run> value) {
        long floor = median(noOp, value);
        long time = median(ours, value);
        System.out.println("| " + name + " | " + floor + " ms | " + time + " ms | " + (time - floor) + " ms |");
    }

    /** Milliseconds of one start; those at work do not depend on what else the machine does. */
    private record Run(long elapsed, long worked) {}

    private static void write(Path directory, int beans, int methods, int policiesOfAKind) throws IOException {
        List<String> command = new ArrayList<>(
                List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d", directory.toString()));
        for (int bean = 0; bean < beans; bean++) {
            Path file = directory.resolve("Bean" + bean + ".java");
            String source = StartupApplication.source("Bean" + bean, bean * methods, methods, policiesOfAKind);
            Files.writeString(file, source);
            command.add(file.toString());
        }
        if (ToolProvider.getSystemJavaCompiler().run(null, null, null, command.toArray(String[]::new)) != 0) {
            throw new IllegalStateException("The beans do not compile");
        }
        Files.writeString(directory.resolve("application.yaml"), StartupApplication.yaml(policiesOfAKind));
    }

    private static Run start(String which, Path directory) throws IOException, InterruptedException {
        Path output = Files.createTempFile("startup", ".log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        directory + File.pathSeparator + classPath(),
                        StartupApplication.class.getName(),
                        which,
                        directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        process.waitFor();
        String printed = Files.readString(output, StandardCharsets.UTF_8);
        Matcher matcher = STARTED.matcher(printed);
        if (!matcher.find()) {
            throw new IllegalStateException("It does not start:\n" + printed);
        }
        return new Run(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
    }

    /** Without what only tests have and this library would ask about every bean. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("mockito"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static long median(List<Run> runs, ToLongFunction<Run> value) {
        return runs.stream()
                .mapToLong(value)
                .sorted()
                .skip(runs.size() / 2)
                .findFirst()
                .orElseThrow();
    }
}
