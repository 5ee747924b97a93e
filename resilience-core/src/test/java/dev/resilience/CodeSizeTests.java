package dev.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Holds each module to the size that {@code code-size.properties} allows. Everyone who reads the code pays for its lines:
 * a commit that raises a number says what for.
 */
class CodeSizeTests {

    private static final Path CHECKOUT = Path.of("..");
    private static final Pattern NO_CODE = Pattern.compile("\\s*(|//.*|\\*.*|/\\*.*|import .*|package .*)");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resilience-core",
                "resilience-migration",
                "resilience-spring-boot-starter",
                "resilience-store-tck"
            })
    void aModuleHasNoMoreLinesOfCodeThanItMay(String module) throws IOException {
        long lines = sources(module).stream().mapToLong(CodeSizeTests::lines).sum();

        assertThat(lines).as(module).isPositive().isLessThanOrEqualTo(limit(module + ".lines"));
    }

    @Test
    void coreAndStarterHaveNoMoreFilesThanTheyMay() throws IOException {
        int files = sources("resilience-core").size()
                + sources("resilience-spring-boot-starter").size();

        assertThat(files).isLessThanOrEqualTo(limit("files"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resilience-core",
                "resilience-migration",
                "resilience-spring-boot-starter",
                "resilience-store-tck"
            })
    void noFileIsLongerThanItMayBe(String module) throws IOException {
        int limit = limit("file.lines");

        assertThat(sources(module)).allSatisfy(file -> assertThat(lines(file)).isLessThanOrEqualTo(limit));
    }

    /** Without blank lines, comments, imports and packages. */
    private static long lines(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> !NO_CODE.matcher(line).matches()).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> sources(String module) throws IOException {
        try (Stream<Path> files = Files.walk(CHECKOUT.resolve(module).resolve("src/main"))) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    private static int limit(String key) throws IOException {
        Properties limits = new Properties();
        try (Reader file = Files.newBufferedReader(CHECKOUT.resolve("code-size.properties"))) {
            limits.load(file);
        }
        return Integer.parseInt(limits.getProperty(key));
    }
}
