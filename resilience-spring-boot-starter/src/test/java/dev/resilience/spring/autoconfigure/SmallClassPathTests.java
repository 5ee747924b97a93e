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
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.DriverManager;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
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
 * An application whose class path really lacks every optional library: no class of theirs may be needed by accident.
 */
class SmallClassPathTests {

    private static final String STORE_TYPE = "resilience.idempotency-store.type";

    private static final Pattern OPTIONAL = Pattern.compile(
            "spring-boot-(?!autoconfigure|[0-9]).*|spring-(web|webmvc|webflux|tx|jdbc|data|messaging|security|test).*|jackson.*|reactor.*"
                    + "|tomcat.*|jakarta\\..*|(micrometer-(?!core|commons|observation)).*");

    /** Boot's JPA, which cannot do without what is taken away here. */
    private static final Pattern NEVER_THERE = Pattern.compile("spring-boot-(hibernate|data-jpa|jpa).*");

    /** Shared: it loads Spring, Boot and the starter anew. */
    private static URLClassLoader smallest;

    @BeforeAll
    static void load() {
        smallest = without(OPTIONAL);
        // The JDK looks for drivers once, on the class path of the thread that asks first: not on one of these.
        assertThat(DriverManager.getDrivers().hasMoreElements()).isTrue();
    }

    @AfterAll
    static void close() throws IOException {
        smallest.close();
    }

    @Test
    void retriesWithNothingButTheStarterItself() throws Exception {
        assertThat(run("run", smallest)).isEqualTo("paid at attempt 2, then paid later at attempt 2");
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
        "memory, jakarta.validation-.*|hibernate-validator-.*, MemoryIdempotencyStore"
    })
    void remembersCallsInTheStoreThatIsThere(String type, String absent, String store) throws Exception {
        System.setProperty(STORE_TYPE, type);
        try {
            assertThat(run("runTwice", Pattern.compile(absent))).isEqualTo("k 1, then k 1 from a " + store);
        } finally {
            System.clearProperty(STORE_TYPE);
        }
    }

    @Test
    void saysWhatIsMissingForReactiveTypes() throws Exception {
        assertThat(run("runReactive", smallest))
                .asString()
                .contains(
                        "returns io.reactivex.rxjava3.core.Single",
                        "io.projectreactor:reactor-core, which reactive types need, is missing");
    }

    @Test
    void saysWhatIsMissingForIdempotency() throws Exception {
        assertThat(run("runIdempotent", smallest)).asString().contains("no Jackson 3 on the class path");
    }

    @Tag("long")
    @Test
    void saysThatHeadersNeedAServletApplication() throws Exception {
        Pattern servlets = Pattern.compile(
                "jakarta\\.servlet.*|tomcat-.*|spring-webmvc.*|spring-boot-(web|tomcat|servlet|micro|actuator|health).*");
        assertThat(run("runFromHeader", servlets))
                .asString()
                .contains("from the header 'Idempotency-Key', but this is not a servlet web application");
    }

    @Tag("long")
    @Test
    void retriesWithoutMetricsAndActuator() throws Exception {
        assertThat(run(
                        "run",
                        Pattern.compile("micrometer-(?!commons|observation).*|spring-boot-(actuator|micro|health).*")))
                .isEqualTo("paid at attempt 2, then paid later at attempt 2");
    }

    private static Object run(String method, Pattern absent) throws Exception {
        try (URLClassLoader loader = without(absent)) {
            return run(method, loader);
        }
    }

    private static URLClassLoader without(Pattern absent) {
        URL[] present = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(File::new)
                .filter(entry -> !NEVER_THERE.matcher(entry.getName()).matches())
                .filter(entry ->
                        entry.isDirectory() || !absent.matcher(entry.getName()).matches())
                .map(SmallClassPathTests::url)
                .toArray(URL[]::new);
        return new URLClassLoader(present, ClassLoader.getPlatformClassLoader());
    }

    private static Object run(String method, ClassLoader loader) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            thread.setContextClassLoader(loader);
            return loader.loadClass(Application.class.getName())
                    .getMethod(method)
                    .invoke(null);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL url(File entry) {
        try {
            return entry.toURI().toURL();
        } catch (MalformedURLException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** Loaded a second time, by the loader of the small class path. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Application {

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
