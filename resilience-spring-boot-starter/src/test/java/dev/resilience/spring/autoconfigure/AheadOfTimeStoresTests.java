package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.idempotency.redis.TestRedis;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

/** Applications with each store, processed as the build plugins do, and started from what was generated. */
@Tag("long")
class AheadOfTimeStoresTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private static final String LETTERS =
            " JdbcDeadLetterStore SUCCEEDED [Order[number=7, lines=[line]], Order[number=7, lines=[line]]]";

    @TempDir
    Path directory;

    @Test
    void aDatabase() throws Exception {
        assertThat(processAndRun(
                        "--resilience.idempotency-store.type=jdbc", "--spring.datasource.url=jdbc:h2:mem:shop"))
                .contains(AheadOfTimeShop.ANSWER
                        + "true JdbcIdempotencyStore Order[number=1, lines=[k]] Order[number=1, lines=[k]] []"
                        + LETTERS);
    }

    @Test
    void redis() throws Exception {
        assertThat(processAndRun(
                        "--resilience.idempotency-store.type=redis",
                        "--spring.datasource.url=jdbc:h2:mem:shop",
                        "--spring.data.redis.port=" + REDIS.port()))
                .contains(AheadOfTimeShop.ANSWER
                        + "true RedisIdempotencyStore Order[number=1, lines=[k]] Order[number=1, lines=[k]] []"
                        + LETTERS);
    }

    private String processAndRun(String... arguments) throws Exception {
        Path sources = Files.createDirectory(directory.resolve("sources"));
        Path classes = Files.createDirectory(directory.resolve("classes"));
        String classPath = classes + File.pathSeparator + System.getProperty("java.class.path");
        List<String> process =
                new ArrayList<>(List.of("-cp", classPath, SpringApplicationAotProcessor.class.getName()));
        process.addAll(List.of(AheadOfTimeShop.class.getName(), "" + sources, "" + classes, "" + classes, "g", "a"));
        java(process, arguments);
        compile(sources, classes, classPath);
        return java(List.of("-Dspring.aot.enabled=true", "-cp", classPath, AheadOfTimeShop.class.getName()), arguments);
    }

    private static void compile(Path sources, Path classes, String classPath) throws IOException {
        List<String> options = new ArrayList<>(List.of("-nowarn", "-proc:none", "-cp", classPath, "-d", "" + classes));
        try (Stream<Path> files = Files.walk(sources)) {
            files.filter(Files::isRegularFile).map(Path::toString).forEach(options::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, options.toArray(String[]::new)))
                .isZero();
    }

    private String java(List<String> command, String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        all.addAll(command);
        all.addAll(List.of(
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--resilience.retry.kept.max-attempts=1",
                "--resilience.retry.kept.dead-letter=true"));
        all.addAll(List.of(arguments));
        Path output = Files.createTempFile(directory, "output", ".txt");
        Process process = new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            int exit = process.waitFor();
            String said = Files.readString(output);
            assertThat(exit).as(said).isZero();
            return said;
        } finally {
            process.destroyForcibly();
        }
    }
}
