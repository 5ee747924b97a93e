package dev.resilience.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever the starter uses of Spring Boot, Spring, Jackson or Micrometer is there in Spring Boot 4.0 already: what a
 * test of an application does not reach would fail at a user's with a {@link NoSuchMethodError}.
 */
class StarterSourcesTests {

    private static final Path SOURCES = Path.of("../../resilience-spring-boot-starter/src/main/java");

    @TempDir
    Path classes;

    @Test
    void theStarterCompilesAgainstSpringBoot40() throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options =
                List.of("-proc:none", "-nowarn", "-Xlint:none", "-implicit:none", "-d", classes.toString());

        boolean compiled;
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> sources = Files.walk(SOURCES)) {
            List<Path> java =
                    sources.filter(path -> path.toString().endsWith(".java")).toList();
            assertThat(java).hasSizeGreaterThan(50);
            compiled = compiler.getTask(messages, files, null, options, null, files.getJavaFileObjectsFromPaths(java))
                    .call();
        }

        assertThat(compiled)
                .as(
                        "A package that is missing below is one of an optional library: add it to the pom of this "
                                + "module. A class or member that is missing is newer than Spring Boot 4.0: do without.%n%s",
                        messages)
                .isTrue();
    }
}
