package dev.resilience.spring.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.resilience.spring.SharedFiles;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * Applications as people write them, each a directory of {@code src/test/resources/migration}: what is converted, what becomes
 * of it, and what is said about it. {@code -Dmigration.write=true} writes the last two anew.
 */
class ConverterTests {

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
        Path copy = copy(application.resolve("input"));

        String report = run("--write", copy.toString()).replace(copy + "/", "");

        if (WRITES) {
            for (Map.Entry<String, String> file : texts(copy).entrySet()) {
                Path expected = application.resolve("expected").resolve(file.getKey());
                Files.createDirectories(expected.getParent());
                Files.writeString(expected, file.getValue());
            }
            Files.writeString(application.resolve("report.txt"), report);
        }
        assertThat(texts(copy)).isEqualTo(texts(application.resolve("expected")));
        assertThat(report).isEqualTo(Files.readString(application.resolve("report.txt")));
    }

    @ParameterizedTest
    @MethodSource("applications")
    void whatIsGivenCompiles(String name) throws IOException {
        compile(texts(APPLICATIONS.resolve(name).resolve("input")));
    }

    @ParameterizedTest
    @MethodSource("applications")
    void whatIsWrittenCompiles(String name) throws IOException {
        compile(texts(APPLICATIONS.resolve(name).resolve("expected")));
    }

    @ParameterizedTest
    @MethodSource("applications")
    void theConfigurationBinds(String name) throws IOException {
        String report = Files.readString(APPLICATIONS.resolve(name).resolve("report.txt"));
        assumeTrue(report.contains("== Configuration"));
        String[] documents = report.substring(report.indexOf("# ") + 2, report.indexOf("== To decide"))
                .split("(?m)^# ", -1);

        new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withInitializer(context -> {
                    for (String document : documents) {
                        load(document).forEach(context.getEnvironment().getPropertySources()::addFirst);
                    }
                })
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void whatIsWrittenIsNotConvertedAgain() throws IOException {
        for (String name : applications().toList()) {
            Path copy = copy(APPLICATIONS.resolve(name).resolve("expected"));
            Map<String, String> before = texts(copy);
            run("--write", copy.toString());
            assertThat(texts(copy)).as(name).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @MethodSource("applications")
    void nothingIsWrittenUnlessItIsAskedFor(String name) throws IOException {
        Path copy = copy(APPLICATIONS.resolve(name).resolve("input"));
        Map<String, String> before = texts(copy);

        assertThat(run(copy.toString())).contains("--- " + copy, "Would change (--write does)");

        assertThat(texts(copy)).isEqualTo(before);
    }

    @Test
    void withoutWritingItShowsTheLinesThatWouldChange() throws IOException {
        assertThat(run(copy(APPLICATIONS.resolve("facts/input")).toString()))
                .contains(
                        "-import org.springframework.resilience.annotation.Retryable;\n",
                        "+import dev.resilience.annotation.Retryable;\n",
                        "@@ 19 @@\n-    @ConcurrencyLimit(3)\n+    @Bulkhead(maxConcurrent = 3)\n",
                        "Would change (--write does) 2 of 2 Java files.");
    }

    @Test
    void withoutAPathItSaysHowItIsUsed() throws IOException {
        assertThat(run()).startsWith("Rewrites annotations").contains("--write");
        assertThat(run("--wirte", directory.toString())).startsWith("Rewrites annotations");
        assertThat(run(directory.resolve("none").toString())).startsWith("Rewrites annotations");
    }

    @Test
    void theLineEndsOfWindowsStay() throws IOException {
        Path file = directory.resolve("A.java");
        String before = """
                import org.springframework.retry.annotation.Retryable;

                class A {
                    @Retryable
                    void a() {}
                }
                """;
        Files.writeString(file, before.replace("\n", "\r\n"));

        run("--write", file.toString());

        assertThat(Files.readString(file)).isEqualTo("""
                import dev.resilience.annotation.Retryable;

                class A {
                    @Retryable(multiplier = 1, retryUnknown = true)
                    void a() {}
                }
                """.replace("\n", "\r\n"));
    }

    /** Of an interface the library names a policy after the class that implements it. */
    @Test
    void anAnnotationNamesThePolicyThatHasKeys() throws IOException {
        Files.writeString(directory.resolve("Api.java"), """
                import org.springframework.retry.annotation.Retryable;

                interface Api {
                    @Retryable(retryFor = IllegalStateException.class, maxAttemptsExpression = "${api.attempts}")
                    void call();
                }
                """);

        assertThat(run(directory.toString()))
                .contains("+    @Retryable(value = \"Api.call\", multiplier = 1,")
                .contains("    \"[Api.call]\":\n      max-attempts: \"${api.attempts}\"");
    }

    @Test
    void theConfigurationOfAListOfProfilesIsTheirs() throws IOException {
        Files.writeString(directory.resolve("application.yml"), """
                spring.config.activate.on-profile:
                - test
                - local
                resilience4j.retry.instances.a.max-attempts: 2
                """);

        assertThat(run(directory.toString())).contains("application.yml, profile test, local\n");
    }

    @Test
    void aThreadPoolWhoseNameASemaphoreHasGetsAnother() throws IOException {
        Files.writeString(directory.resolve("application.yml"), """
                resilience4j:
                  bulkhead.instances.a.max-concurrent-calls: 3
                  bulkhead.instances.b.max-concurrent-calls: 3
                  thread-pool-bulkhead:
                    configs.default.max-thread-pool-size: 4
                    instances:
                      a.max-thread-pool-size: 7
                      c.queue-capacity: 2
                      d.base-config: a
                """);

        assertThat(run(directory.toString())).contains("""
                  bulkhead:
                    a:
                      max-concurrent: 3
                      max-queue: 0
                    a-pool:
                      type: thread-pool
                      extends: default-pool
                      max-concurrent: 7
                """, """
                    c:
                      type: thread-pool
                      extends: default-pool
                      max-queue: 2
                    d:
                      type: thread-pool
                      extends: a-pool
                    default-pool:
                      type: thread-pool
                      max-concurrent: 4
                """).doesNotContain("left out");
    }

    @Test
    void aThreadPoolGetsNothingOfTheDefaultsOfSemaphores() throws IOException {
        Files.writeString(directory.resolve("application.yml"), """
                resilience4j:
                  bulkhead.configs.default.max-concurrent-calls: 20
                  thread-pool-bulkhead:
                    configs.default.max-thread-pool-size: 8
                    instances:
                      reports.max-thread-pool-size: 4
                      mails.base-config: reports
                """);
        Files.writeString(directory.resolve("application-prod.yml"), """
                resilience4j.thread-pool-bulkhead.instances.mails.max-thread-pool-size: 8
                """);

        assertThat(run(directory.toString())).contains("""
                    default:
                      max-concurrent: 20
                      max-queue: 0
                    default-pool:
                      type: thread-pool
                      max-concurrent: 8
                      max-queue: 100
                    mails:
                      type: thread-pool
                      extends: reports
                    reports:
                      type: thread-pool
                      extends: default-pool
                      max-concurrent: 4
                """, """
                    mails:
                      type: thread-pool
                      max-concurrent: 8
                """);
    }

    @Test
    void aNameThatIsTakenAsWellGetsANumber() throws IOException {
        Files.writeString(directory.resolve("application.yml"), """
                resilience4j:
                  bulkhead.instances:
                    a.max-concurrent-calls: 3
                    a-pool.max-concurrent-calls: 3
                  thread-pool-bulkhead.instances.a.max-thread-pool-size: 7
                """);

        assertThat(run(directory.toString())).contains("    a-pool-2:\n      type: thread-pool\n");
    }

    @Test
    void annotationsNameTheThreadPoolOfTheSameName() throws IOException {
        Files.writeString(directory.resolve("Shop.java"), """
                import static io.github.resilience4j.bulkhead.annotation.Bulkhead.Type;

                import io.github.resilience4j.bulkhead.annotation.Bulkhead;
                import java.util.concurrent.CompletableFuture;

                class Shop {
                    private static final String SHOP = "shop";

                    @Bulkhead(name = SHOP)
                    void one() {}

                    @Bulkhead(name = SHOP, type = Type.THREADPOOL)
                    CompletableFuture<String> two() { return new CompletableFuture<>(); }

                    @Bulkhead(name = "shop", type = Type.THREADPOOL)
                    CompletableFuture<String> three() { return new CompletableFuture<>(); }

                    @Bulkhead(name = "pool", type = Type.THREADPOOL)
                    CompletableFuture<String> four() { return new CompletableFuture<>(); }
                }
                """);

        assertThat(run("--write", directory.toString())).contains("shop-pool:", "note: a thread pool and a semaphore");
        assertThat(Files.readString(directory.resolve("Shop.java")))
                .contains(
                        "@Bulkhead(SHOP)",
                        "@Bulkhead(SHOP + \"-pool\")",
                        "@Bulkhead(\"shop-pool\")",
                        "@Bulkhead(\"pool\")")
                .doesNotContain("io.github.resilience4j");
    }

    @Test
    void whatHasNoLimitThereHasNoneHere() throws IOException {
        Files.writeString(directory.resolve("application.yml"), """
                resilience4j:
                  retry.instances.a:
                    max-attempts: 5
                    wait-duration: 10s
                    enable-exponential-backoff: true
                    exponential-backoff-multiplier: 3
                  circuitbreaker.instances.a.max-wait-duration-in-half-open-state: 0
                """);

        assertThat(run(directory.toString())).contains("max-delay: 270000ms").doesNotContain("max-duration");
    }

    @Test
    void keysThatAreNotReadAreTold() throws IOException {
        Files.writeString(directory.resolve("orders.yml"), "resilience4j.retry.instances.a.max-attempts: 2\n");
        Files.writeString(directory.resolve("ATest.java"), """
                @SpringBootTest(properties = "resilience4j.retry.instances.a.max-attempts=1")
                class ATest {}
                """);

        assertThat(run(directory.toString()))
                .contains("orders.yml kept: orders.yml: only application* and bootstrap* are read")
                .contains("ATest.java:1 kept: a key of Resilience4j: it is in a string");
    }

    /** {@code maxAttempts} was its name before 7.0.0, which no test compiles against. */
    @Test
    void retriesOfAMilestoneBecomeAttempts() throws IOException {
        Files.writeString(directory.resolve("Records.java"), """
                import org.springframework.resilience.annotation.Retryable;

                class Records {
                    @Retryable(maxAttempts = 3, delay = 1000)
                    void save() {}
                }
                """);

        assertThat(run(directory.toString()))
                .contains("+    @Retryable(maxAttempts = 4, delay = \"1s\", multiplier = 1, retryUnknown = true)")
                .contains("decide: @Retryable on Records.save: maxAttempts did not count the first call");
    }

    /** Its class is not on the tests' class path. */
    @ParameterizedTest
    @ValueSource(strings = {"Resilience4JCircuitBreakerFactory", "ReactiveResilience4JCircuitBreakerFactory"})
    void theFactoryOfSpringCloudIsTold(String factory) throws IOException {
        Files.writeString(directory.resolve("Factories.java"), """
                import org.springframework.cloud.circuitbreaker.resilience4j.FACTORY;
                import org.springframework.cloud.client.circuitbreaker.Customizer;

                class Factories {
                    Customizer<FACTORY> defaults;
                }
                """.replace("FACTORY", factory));

        assertThat(run(directory.toString()))
                .contains("Factories.java:1 kept: org.springframework.cloud.circuitbreaker.resilience4j." + factory)
                .contains("write the values as resilience.circuit-breaker.<id>")
                .contains("see 'In code' in docs/from-resilience4j.md");
    }

    @Test
    void anApplicationWithoutYamlGetsProperties() throws IOException {
        Files.writeString(directory.resolve("application.properties"), "spring.application.name=shop\n");
        Files.writeString(directory.resolve("Api.java"), """
                import org.springframework.retry.annotation.Retryable;

                interface Api {
                    @Retryable(maxAttemptsExpression = "${api.attempts}")
                    void call();
                }
                """);

        assertThat(run(directory.toString())).contains("""
                # application.properties
                resilience.retry[Api.call].max-attempts=${api.attempts}
                """);
    }

    @Test
    void keysInPropertiesStayProperties() throws IOException {
        Files.writeString(directory.resolve("application.properties"), """
                resilience4j.timelimiter.instances.my\\ api.timeout-duration=2s
                resilience4j.timelimiter.instances.a.timeout-duration=3s
                resilience4j.timelimiter.instances.k\\u00fcche.timeout-duration=4s
                """);
        Files.writeString(directory.resolve("application-prod.yml"), """
                resilience4j.timelimiter.instances.a.timeout-duration: 1s
                """);

        assertThat(run(directory.toString())).contains("""
                application.properties
                resilience.time-limit.a.timeout=3s
                resilience.time-limit[k\\u00fcche].timeout=4s
                resilience.time-limit[my\\ api].timeout=2s
                """, """
                application-prod.yml
                resilience:
                  time-limit:
                    a:
                      timeout: 1s
                """);
    }

    @Test
    void keysOfModulesAreTold() throws IOException {
        Files.writeString(directory.resolve("application.properties"), """
                resilience4j.retry.retry-aspect-order=2
                resilience4j.retry.tags.team=shop
                resilience4j.thread-pool-bulkhead.metrics.enabled=false
                """);

        assertThat(run(directory.toString()))
                .contains("retry-aspect-order: resilience.order says it")
                .contains("tags.team: management.metrics.tags.*")
                .contains("metrics.enabled: management.metrics.enable.resilience");
    }

    /** Here code alone throws it, so a handler of ours would never be called. */
    @Test
    void anExceptionThatOnlyCodeThrowsKeepsItsName() throws IOException {
        Files.writeString(directory.resolve("Handler.java"), """
                import io.github.resilience4j.bulkhead.BulkheadFullException;

                class Handler {
                    void handle(BulkheadFullException full) {}
                }
                """);
        Files.writeString(directory.resolve("Client.java"), """
                import io.github.resilience4j.bulkhead.BulkheadRegistry;

                class Client {
                    BulkheadRegistry registry;
                }
                """);

        assertThat(run(directory.toString()))
                .contains("Would change (--write does) 0 of 2")
                .contains(
                        "Handler.java:1 kept: io.github.resilience4j.bulkhead.BulkheadFullException: what is protected by");

        Files.writeString(directory.resolve("Shop.java"), """
                import io.github.resilience4j.bulkhead.annotation.Bulkhead;

                class Shop {
                    @Bulkhead(name = "shop")
                    void sell() {}
                }
                """);

        assertThat(run(directory.toString()))
                .contains("Would change (--write does) 2 of 3")
                .contains("throws the other one: handle both");
    }

    @ParameterizedTest
    @CsvSource({
        "org.springframework.retry.support.RetryTemplate, docs/from-spring-retry.md",
        "org.springframework.core.retry.RetryTemplate, docs/from-spring-framework.md"
    })
    void aTemplateIsToldWithWhatToWrite(String template, String page) throws IOException {
        Files.writeString(directory.resolve("Mails.java"), "import " + template + ";\n\nclass Mails {}\n");

        assertThat(run(directory.toString()))
                .contains("Mails.java:1 kept: " + template + ": write its numbers as resilience.retry.<name>, and"
                        + " registry.pipeline(\"<name>\").call(() -> ...) in place of execute; see 'In code' in "
                        + page);
    }

    /** Spring Boot's auto-configuration is on there, so nothing is to be added. */
    @Test
    void aSwitchOfABootApplicationIsNothingToTellOf() throws IOException {
        Files.writeString(directory.resolve("Application.java"), """
                import org.springframework.boot.autoconfigure.SpringBootApplication;
                import org.springframework.retry.annotation.EnableRetry;

                @SpringBootApplication
                @EnableRetry
                class Application {}
                """);

        assertThat(run(directory.toString())).contains("-@EnableRetry").doesNotContain("ImportAutoConfiguration");
    }

    /** What is printed for a file, whose name is its first line. */
    private static List<PropertySource<?>> load(String document) {
        String[] nameAndText = document.split("\n", 2);
        ByteArrayResource resource = new ByteArrayResource(nameAndText[1].getBytes(StandardCharsets.UTF_8));
        try {
            return nameAndText[0].matches(".*\\.properties(,.*)?")
                    ? new PropertiesPropertySourceLoader().load(nameAndText[0], resource)
                    : new YamlPropertySourceLoader().load(nameAndText[0], resource);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String run(String... arguments) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Converter.run(arguments, new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    private Path copy(Path from) throws IOException {
        Path to = Files.createTempDirectory(directory, "copy");
        for (Map.Entry<String, String> file : texts(from).entrySet()) {
            Files.writeString(to.resolve(file.getKey()), file.getValue());
        }
        return to;
    }

    private static Map<String, String> texts(Path directory) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                texts.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return texts;
    }

    private void compile(Map<String, String> sources) throws IOException {
        Path from = Files.createTempDirectory(directory, "sources");
        List<Path> files = new ArrayList<>();
        for (Map.Entry<String, String> source : sources.entrySet()) {
            if (source.getKey().endsWith(".java")) {
                files.add(Files.writeString(from.resolve(source.getKey()), source.getValue()));
            }
        }
        StringWriter messages = new StringWriter();
        StandardJavaFileManager manager = SharedFiles.writingTo(from);
        boolean compiled = SharedFiles.COMPILER
                .getTask(
                        messages,
                        manager,
                        null,
                        List.of("-proc:none"),
                        null,
                        manager.getJavaFileObjectsFromPaths(files))
                .call();
        assertThat(compiled).as(messages.toString()).isTrue();
    }
}
