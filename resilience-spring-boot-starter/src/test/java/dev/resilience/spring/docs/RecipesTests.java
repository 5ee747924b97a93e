package dev.resilience.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.web.client.HttpServerErrorException;

/** The recipes do what their page says. */
class RecipesTests {

    private static final Snippets PAGE = Snippets.of("docs/recipes.md");

    private static final Map<String, String> KIND_OF =
            Map.of("Retryable", "retry", "CircuitBreaker", "circuit-breaker", "Idempotent", "idempotency");

    @TempDir
    Path classes;

    static Stream<String> java() {
        return PAGE.in("java").stream();
    }

    @ParameterizedTest
    @MethodSource("java")
    void aRecipeIsShort(String snippet) {
        assertThat(snippet.lines().filter(line -> !line.isBlank() && !line.startsWith("import ")))
                .hasSizeLessThanOrEqualTo(15);
    }

    @Test
    void everyPolicyThatARecipeNamesIsConfiguredOnThePage() {
        String yaml = String.join("\n", PAGE.in("yaml"));
        String java = String.join("\n", PAGE.in("java"));
        Matcher named =
                Pattern.compile("@([A-Z]\\w+)\\((?:value = )?\"([a-z-]+)\"").matcher(java);
        List<String> missing = new ArrayList<>();
        while (named.find()) {
            String kind = KIND_OF.get(named.group(1));
            if (kind != null && !yaml.contains(kind + "." + named.group(2))) {
                missing.add(kind + "." + named.group(2));
            }
        }
        assertThat(missing).isEmpty();
        assertThat(java).contains("@Retryable(\"", "@CircuitBreaker(\"", "@Idempotent(value = \"");
    }

    @Test
    void onlyA503IsRetried() throws Exception {
        with("StockRetries").run(context -> {
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            assertThat(attempts(registry, failure(HttpStatus.SERVICE_UNAVAILABLE)))
                    .isEqualTo(3);
            assertThat(attempts(registry, failure(HttpStatus.BAD_GATEWAY))).isEqualTo(1);
            assertThat(attempts(registry, new ConnectException("refused"))).isEqualTo(1);
        });
    }

    private static Exception failure(HttpStatus status) {
        return HttpServerErrorException.create(
                status, status.getReasonPhrase(), HttpHeaders.EMPTY, new byte[0], StandardCharsets.UTF_8);
    }

    private static int attempts(ResilienceRegistry registry, Exception failure) {
        AtomicInteger attempts = new AtomicInteger();
        assertThatThrownBy(
                        () -> registry.outermostFirst(registry.retry("stock")).call(() -> {
                            attempts.incrementAndGet();
                            throw failure;
                        }))
                .isSameAs(failure);
        return attempts.get();
    }

    @Test
    void pollingEndsWithTheLastAnswer() throws Exception {
        with("Reports").run(context -> {
            Object reports = context.getBean("snippet");
            ManualTimeSource time = context.getBean(ManualTimeSource.class);
            assertThat(ReflectionTestUtils.<String>invokeMethod(reports, "state", "r-1"))
                    .isEqualTo("READY");
            assertThat(time.elapsed()).isZero();
            assertThat(ReflectionTestUtils.<String>invokeMethod(reports, "state", ""))
                    .isEqualTo("MISSING");
            assertThat(time.elapsed()).isEqualTo(Duration.ofSeconds(29 * 2));
        });
    }

    @Test
    void eachCustomerHasALimitOfItsOwn() throws Exception {
        with("Fairness").run(context -> {
            Object fairness = context.getBean("snippet");
            for (String customer : List.of("ann", "bob", "ann")) {
                Supplier<String> work = () -> customer;
                assertThat(ReflectionTestUtils.<Object>invokeMethod(fairness, "call", customer, work))
                        .isEqualTo(customer);
            }
            assertThat(context.getBean(ResilienceRegistry.class).all(Bulkhead.class))
                    .containsOnlyKeys("customer-ann", "customer-bob", "customers", "default")
                    .hasEntrySatisfying(
                            "customer-ann",
                            own -> assertThat(own.policy().maxConcurrent()).isEqualTo(4));
        });
    }

    /** An application with all the YAML of the page and the class of one of its snippets. */
    private ApplicationContextRunner with(String className) throws Exception {
        String snippet = PAGE.in("java").stream()
                .filter(java -> java.matches("(?s).*(?:class|record) " + className + "\\b.*"))
                .findFirst()
                .orElseThrow();
        Class<?> type = SnippetCompiler.compile(snippet, className, classes);
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withClassLoader(type.getClassLoader())
                .withBean(ManualTimeSource.class)
                .withBean("snippet", type);
        for (String yaml : PAGE.in("yaml")) {
            boolean needsAnother = yaml.contains("retry-if") && !className.equals("StockRetries");
            application = needsAnother
                    ? application
                    : application.withInitializer(context -> {
                        try {
                            for (PropertySource<?> source : new YamlPropertySourceLoader()
                                    .load(yaml, new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))) {
                                context.getEnvironment().getPropertySources().addLast(source);
                            }
                        } catch (java.io.IOException impossible) {
                            throw new IllegalStateException(impossible);
                        }
                    });
        }
        return application;
    }
}
