package dev.resilience.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * Applications as people write them, each a directory of {@code src/test/resources/migration}: what the recipes make of them.
 * {@code -Dmigration.write=true} writes that anew.
 */
class MigrationTests {

    private static final Path APPLICATIONS = Path.of("src/test/resources/migration");
    private static final boolean WRITES = Boolean.getBoolean("migration.write");

    @TempDir
    Path directory;

    static Stream<String> applications() throws IOException {
        try (Stream<Path> found = Files.list(APPLICATIONS)) {
            return found.map(path -> path.getFileName().toString()).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("applications")
    void anApplicationBecomesWhatIsExpected(String name) throws IOException {
        Path application = APPLICATIONS.resolve(name);

        Sources migrated = Sources.in(application.resolve("input")).migrated();

        if (WRITES) {
            for (Map.Entry<String, String> file : migrated.files().entrySet()) {
                Path expected = application.resolve("expected").resolve(file.getKey());
                Files.createDirectories(expected.getParent());
                Files.writeString(expected, file.getValue());
            }
        }
        assertThat(migrated.files())
                .isEqualTo(Sources.in(application.resolve("expected")).files());
        assertThat(migrated.migrated().files()).as("run once more").isEqualTo(migrated.files());
    }

    @Test
    void whatIsWrittenCompiles() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String name : applications().toList()) {
            Path application = Files.createDirectories(directory.resolve(name));
            for (Map.Entry<String, String> source : Sources.in(
                            APPLICATIONS.resolve(name).resolve("expected"))
                    .files()
                    .entrySet()) {
                if (source.getKey().endsWith(".java")) {
                    files.add(Files.writeString(application.resolve(source.getKey()), source.getValue()));
                }
            }
        }
        StringWriter messages = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            messages,
                            manager,
                            null,
                            List.of("-proc:none", "-d", directory.toString()),
                            null,
                            manager.getJavaFileObjectsFromPaths(files))
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("applications")
    void theConfigurationBinds(String name) throws IOException {
        Map<String, String> files =
                Sources.in(APPLICATIONS.resolve(name).resolve("expected")).files();
        files.keySet().removeIf(file -> !file.matches(".*\\.(ya?ml|properties)"));

        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withInitializer(context -> files.forEach((file, text) ->
                        load(file, text).forEach(context.getEnvironment().getPropertySources()::addFirst)))
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static List<PropertySource<?>> load(String file, String text) {
        ByteArrayResource resource = new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8));
        try {
            return file.endsWith(".properties")
                    ? new PropertiesPropertySourceLoader().load(file, resource)
                    : new YamlPropertySourceLoader().load(file, resource);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
