package dev.resilience.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.resilience4j.common.bulkhead.configuration.CommonBulkheadConfigurationProperties;
import io.github.resilience4j.common.bulkhead.configuration.CommonThreadPoolBulkheadConfigurationProperties;
import io.github.resilience4j.common.circuitbreaker.configuration.CommonCircuitBreakerConfigurationProperties;
import io.github.resilience4j.common.ratelimiter.configuration.CommonRateLimiterConfigurationProperties;
import io.github.resilience4j.common.retry.configuration.CommonRetryConfigurationProperties;
import io.github.resilience4j.common.timelimiter.configuration.CommonTimeLimiterConfigurationProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages for those who come from other libraries map all that these have, and as the converter does. */
class MigrationPagesTests {

    private static final String RESILIENCE4J = "docs/from-resilience4j.md";
    private static final String RESILIENCE4J_KEYS = "docs/from-resilience4j-keys.md";
    private static final String SPRING_RETRY = "docs/from-spring-retry.md";
    private static final String SPRING_FRAMEWORK = "docs/from-spring-framework.md";
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([\\w-]+)` \\| (.*?) \\|");

    /** Our attributes, by the key that they are. */
    private static final Map<String, String> ATTRIBUTES = Map.of(
            "max-attempts", "maxAttempts",
            "backoff.base-delay", "delay",
            "backoff.multiplier", "multiplier",
            "backoff.max-delay", "maxDelay",
            "retry-on", "retryOn",
            "do-not-retry-on", "doNotRetryOn",
            "failure-threshold", "failureThreshold",
            "open-duration", "openDuration",
            "max-concurrent", "maxConcurrent",
            "max-queue", "maxQueue");

    static Stream<Arguments> annotations() {
        return Stream.of(
                Arguments.of(RESILIENCE4J, io.github.resilience4j.retry.annotation.Retry.class),
                Arguments.of(RESILIENCE4J, io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker.class),
                Arguments.of(RESILIENCE4J, io.github.resilience4j.bulkhead.annotation.Bulkhead.class),
                Arguments.of(RESILIENCE4J, io.github.resilience4j.timelimiter.annotation.TimeLimiter.class),
                Arguments.of(RESILIENCE4J, io.github.resilience4j.ratelimiter.annotation.RateLimiter.class),
                Arguments.of(SPRING_RETRY, org.springframework.retry.annotation.Retryable.class),
                Arguments.of(SPRING_RETRY, org.springframework.retry.annotation.Backoff.class),
                Arguments.of(SPRING_RETRY, org.springframework.retry.annotation.CircuitBreaker.class),
                Arguments.of(SPRING_RETRY, org.springframework.retry.annotation.EnableRetry.class),
                Arguments.of(SPRING_FRAMEWORK, org.springframework.resilience.annotation.Retryable.class),
                Arguments.of(SPRING_FRAMEWORK, org.springframework.resilience.annotation.ConcurrencyLimit.class),
                Arguments.of(SPRING_FRAMEWORK, org.springframework.resilience.annotation.EnableResilientMethods.class));
    }

    @ParameterizedTest
    @MethodSource("annotations")
    void everyAttributeIsMapped(String page, Class<?> annotation) {
        Set<String> attributes = Arrays.stream(annotation.getDeclaredMethods())
                .map(Method::getName)
                .collect(Collectors.toSet());

        assertThat(named(section(page, "### `@" + annotation.getSimpleName() + "`")))
                .containsAll(attributes);
    }

    static Stream<Arguments> keys() {
        return Stream.of(
                Arguments.of("retry", CommonRetryConfigurationProperties.InstanceProperties.class),
                Arguments.of("circuitbreaker", CommonCircuitBreakerConfigurationProperties.InstanceProperties.class),
                Arguments.of("bulkhead", CommonBulkheadConfigurationProperties.InstanceProperties.class),
                Arguments.of(
                        "thread-pool-bulkhead",
                        CommonThreadPoolBulkheadConfigurationProperties.InstanceProperties.class),
                Arguments.of("timelimiter", CommonTimeLimiterConfigurationProperties.InstanceProperties.class),
                Arguments.of("ratelimiter", CommonRateLimiterConfigurationProperties.InstanceProperties.class));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void everyKeyIsMapped(String module, Class<?> properties) {
        Set<String> keys = Arrays.stream(properties.getDeclaredFields())
                .map(Field::getName)
                .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());

        assertThat(named(section(RESILIENCE4J_KEYS, "## `resilience4j." + module + "`")))
                .containsAll(keys);
    }

    static Stream<Arguments> sections() {
        return Stream.of(
                Arguments.of(RESILIENCE4J_KEYS, "## `resilience4j.retry`", "retry", ""),
                Arguments.of(RESILIENCE4J_KEYS, "## `resilience4j.circuitbreaker`", "circuit-breaker", ""),
                Arguments.of(RESILIENCE4J_KEYS, "## `resilience4j.bulkhead`", "bulkhead", ""),
                Arguments.of(RESILIENCE4J_KEYS, "## `resilience4j.thread-pool-bulkhead`", "bulkhead", ""),
                Arguments.of(RESILIENCE4J_KEYS, "## `resilience4j.timelimiter`", "time-limit", ""),
                Arguments.of(SPRING_RETRY, "### `@Retryable`", "retry", ""),
                Arguments.of(SPRING_RETRY, "### `@Backoff`", "retry", "backoff."),
                Arguments.of(SPRING_FRAMEWORK, "### `@Retryable`", "retry", ""),
                Arguments.of(SPRING_FRAMEWORK, "### `@ConcurrencyLimit`", "bulkhead", ""));
    }

    @ParameterizedTest
    @MethodSource("sections")
    void aKeyIsMappedAsTheConverterDoes(String page, String heading, String kind, String prefix) {
        rows(section(page, heading)).forEach((theirs, ours) -> {
            String plain = theirs.replaceFirst("(?<!exception)(Expression|String)$", "");
            ForeignKeys.Entry entry = ForeignKeys.find(kind, prefix + plain);
            boolean isOfThePageAlone = Set.of(
                            "value",
                            "base-config",
                            "backoff",
                            "recover",
                            "notRecoverable",
                            "random",
                            "jitter",
                            "timeUnit",
                            "policy")
                    .contains(plain);
            assertThat(entry != null || isOfThePageAlone)
                    .as("%s: %s is in the table", heading, theirs)
                    .isTrue();
            if (entry != null && !entry.ours().isEmpty()) {
                assertThat(ours)
                        .as("%s: %s", heading, theirs)
                        .containsAnyOf(
                                "`" + entry.ours() + "`",
                                "`" + ATTRIBUTES.getOrDefault(entry.ours(), entry.ours()) + "`");
            } else if (entry != null && !isOfThePageAlone) {
                assertThat(ours).as("%s: %s", heading, theirs).isEqualTo("–");
            }
        });
    }

    @Test
    void everyKeyInTheTableIsOnAPage() {
        Set<String> named = Stream.of(RESILIENCE4J, RESILIENCE4J_KEYS, SPRING_RETRY, SPRING_FRAMEWORK)
                .flatMap(page -> named(text(page)).stream())
                .map(ForeignKeys::uniform)
                .collect(Collectors.toSet());

        assertThat(ForeignKeys.ENTRIES.values())
                .allSatisfy(entry -> assertThat(named)
                        .contains(ForeignKeys.uniform(entry.foreign().replaceFirst("^backoff\\.", ""))));
    }

    private static String text(String page) {
        try {
            return Files.readString(Path.of("..").resolve(page));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String section(String page, String heading) {
        String text = text(page);
        int from = text.indexOf(heading);
        assertThat(from).as(heading).isNotNegative();
        int to = text.indexOf("\n##", from + 1);
        return text.substring(from, to < 0 ? text.length() : to);
    }

    private static Map<String, String> rows(String section) {
        Map<String, String> rows = new LinkedHashMap<>();
        ROW.matcher(section).results().forEach(row -> rows.put(row.group(1), row.group(2)));
        assertThat(rows).isNotEmpty();
        return rows;
    }

    /** What stands in quotes of code. */
    private static List<String> named(String section) {
        return Pattern.compile("`([^`\n]+)`")
                .matcher(section)
                .results()
                .map((MatchResult one) -> one.group(1))
                .toList();
    }
}
