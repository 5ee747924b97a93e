package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.idempotency.store.IdempotencyStore;
import io.reactivex.rxjava3.core.Single;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * An application whose class path really lacks every optional library: no class of theirs may be needed by accident, not
 * even where the JVM verifies one of ours.
 */
class SmallClassPathTests {

    private static final String STORE_TYPE = "resilience.idempotency-store.type";

    private static final Pattern OPTIONAL = Pattern.compile(
            "spring-boot-(?!autoconfigure|[0-9]).*|spring-(web|webmvc|webflux|tx|jdbc|data|messaging|kafka|amqp|rabbit|jms|security|test).*|kafka-.*|jackson.*|reactor.*"
                    + "|tomcat.*|jakarta\\..*|(micrometer-(?!core|commons|observation)).*");

    /** Boot's JPA, which cannot do without what is taken away here. */
    private static final Pattern NEVER_THERE = Pattern.compile("spring-boot-(hibernate|data-jpa|jpa).*");

    /** What three applications said that ran after each other in one JVM, which takes seconds to begin. */
    private static String smallest;

    @BeforeAll
    static void runWithTheSmallest() throws Exception {
        smallest = run("run,runReactive,runIdempotent", OPTIONAL);
    }

    @Test
    void retriesWithNothingButTheStarterItself() throws Exception {
        assertThat(smallest).contains("paid at attempt 2, then paid later at attempt 2");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "auto, spring-(boot-)?data-.*, JdbcIdempotencyStore",
        "auto, spring-(boot-)?data-.*|HikariCP-.*, JdbcIdempotencyStore",
        "auto, spring-(boot-)?data-.*|spring-(boot-)?jdbc-.*, MemoryIdempotencyStore",
        "auto, spring-(boot-)?data-.*|spring-(tx|jdbc)-.*|spring-boot-(transaction|jdbc)-.*, MemoryIdempotencyStore",
        "memory, spring-security-.*, MemoryIdempotencyStore",
        "memory, spring-(boot-)?(actuator|health)-.*, MemoryIdempotencyStore",
        "memory, spring-messaging-.*, MemoryIdempotencyStore",
        "memory, spring-(kafka|rabbit)-.*|kafka-clients-.*|amqp-client-.*, MemoryIdempotencyStore",
        "memory, spring-(rabbit|amqp|jms)-.*|jakarta.jms-.*, MemoryIdempotencyStore",
        "memory, jakarta.validation-.*|hibernate-validator-.*, MemoryIdempotencyStore"
    })
    void remembersCallsInTheStoreThatIsThere(String type, String absent, String store) throws Exception {
        assertThat(run("runTwice", Pattern.compile(absent), "-D" + STORE_TYPE + "=" + type))
                .endsWith("k 1, then k 1 from a " + store);
    }

    @Test
    void saysWhatIsMissingForReactiveTypes() throws Exception {
        assertThat(smallest)
                .contains(
                        "returns io.reactivex.rxjava3.core.Single",
                        "io.projectreactor:reactor-core, which reactive types need, is missing");
    }

    @Test
    void saysWhatIsMissingForIdempotency() throws Exception {
        assertThat(smallest).contains("no Jackson 3 on the class path");
    }

    @Tag("long")
    @Test
    void saysThatHeadersNeedAServletApplication() throws Exception {
        Pattern servlets = Pattern.compile(
                "jakarta\\.servlet.*|tomcat-.*|spring-webmvc.*|spring-boot-(web|tomcat|servlet|micro|actuator|health).*");
        assertThat(run("runFromHeader", servlets))
                .contains("from the header 'Idempotency-Key', but this is not a servlet web application");
    }

    @Tag("long")
    @Test
    void retriesWithoutMetricsAndActuator() throws Exception {
        assertThat(run(
                        "run",
                        Pattern.compile("micrometer-(?!commons|observation).*|spring-boot-(actuator|micro|health).*")))
                .endsWith("paid at attempt 2, then paid later at attempt 2");
    }

    /** What the methods of {@link Application} return in a JVM of its own, which verifies each class that it loads. */
    private static String run(String methods, Pattern absent, String... options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", without(absent)));
        command.addAll(List.of(options));
        command.addAll(List.of(Application.class.getName(), methods));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    private static String without(Pattern absent) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path -> {
                    File entry = new File(path);
                    return entry.isDirectory()
                            || (!NEVER_THERE.matcher(entry.getName()).matches()
                                    && !absent.matcher(entry.getName()).matches());
                })
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** What runs in that JVM. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Application {

        public static void main(String[] arguments) throws ReflectiveOperationException {
            for (String method : arguments[0].split(",", -1)) {
                System.out.print("\n" + Application.class.getMethod(method).invoke(null));
            }
        }

        public static String run() throws IOException {
            try (ConfigurableApplicationContext context = start(Payments.class)) {
                Payments payments = context.getBean(Payments.class);
                return payments.pay() + ", then " + payments.payLater().join();
            }
        }

        public static String runTwice() {
            try (ConfigurableApplicationContext context = start(Keyed.class)) {
                Keyed keyed = context.getBean(Keyed.class);
                return keyed.pay("k") + ", then " + keyed.pay("k") + " from a "
                        + context.getBean(IdempotencyStore.class).getClass().getSimpleName();
            }
        }

        public static String runIdempotent() {
            return whyNot(Keyed.class);
        }

        public static String runReactive() {
            return whyNot(Reactive.class);
        }

        public static String runFromHeader() {
            return whyNot(FromHeader.class);
        }

        private static String whyNot(Class<?> bean) {
            try (ConfigurableApplicationContext context = start(bean)) {
                return "started " + context;
            } catch (RuntimeException failed) {
                return String.valueOf(failed.getMessage());
            }
        }

        private static ConfigurableApplicationContext start(Class<?> bean) {
            return new SpringApplicationBuilder(Application.class, bean)
                    .web(WebApplicationType.NONE)
                    .properties(
                            "spring.main.banner-mode=off",
                            "resilience.retry.default.backoff.base-delay=1ms",
                            "resilience.time-limit.worker.thread=worker",
                            "logging.level.root=error")
                    .run();
        }
    }

    static class Payments {

        private int attempts;

        @Retryable("default")
        @CircuitBreaker("default")
        @Bulkhead("default")
        @TimeLimit("worker")
        String pay() throws ConnectException {
            if (++attempts < 2) {
                throw new ConnectException("refused");
            }
            return "paid at attempt " + attempts;
        }

        @Retryable("default")
        @CircuitBreaker("default")
        @Bulkhead("default")
        @TimeLimit("worker")
        CompletableFuture<String> payLater() {
            attempts = attempts == 2 ? 1 : attempts + 1;
            return attempts < 2
                    ? CompletableFuture.failedFuture(new ConnectException("refused"))
                    : CompletableFuture.completedFuture("paid later at attempt " + attempts);
        }
    }

    static class Reactive {

        @Retryable("default")
        Single<String> pay() {
            return Single.just("paid");
        }
    }

    static class FromHeader {

        @Idempotent(header = "Idempotency-Key")
        String pay(String order) {
            return order;
        }
    }

    static class Keyed {

        private int calls;

        @Idempotent(key = "#key")
        String pay(String key) {
            return key + " " + ++calls;
        }
    }
}
