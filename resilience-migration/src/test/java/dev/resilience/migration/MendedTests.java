package dev.resilience.migration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Meanings that moving must not change, each found in a public application. */
class MendedTests {

    private static final String SHOP = """
        package com.acme;

        import io.github.resilience4j.bulkhead.annotation.Bulkhead;
        import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
        import io.github.resilience4j.retry.annotation.Retry;

        class Shop {
            @Retry(name = "a")
            @CircuitBreaker(name = "a")
            @Bulkhead(name = "a")
            void sell() {}
        }
        """;

    private static Sources fromResilience4j(String... files) {
        return Sources.of(files).migrated(new FromResilience4j());
    }

    private static String yaml(String yaml) {
        return fromResilience4j("src/main/java/com/acme/Shop.java", SHOP, "src/main/resources/application.yml", yaml)
                .get("src/main/resources/application.yml");
    }

    @ParameterizedTest
    @ValueSource(strings = {"out", "bin", "build", "target"})
    void aPackageMayBeCalledAsADirectoryOfABuildIs(String name) {
        String path = "src/main/java/com/acme/" + name + "/Shop.java";

        assertThat(fromResilience4j(path, SHOP.replace("com.acme", "com.acme." + name))
                        .get(path))
                .contains("@Retryable(\"a\")");
    }

    @Test
    void aBulkheadThatWaitsGoesOnToWaitWhereItsDefaultRefuses() {
        assertThat(yaml("""
                resilience4j.bulkhead:
                  configs.default.max-concurrent-calls: 3
                  instances.a.max-wait-duration: 500ms
                """)).contains("""
                    a:
                      max-concurrent: 3
                      max-queue: 2147483647
                      queue-timeout: 500ms
                """);
    }

    @Test
    void aBreakersConfigurationWithoutABaseStartsFromTheLibrarysDefaults() {
        assertThat(yaml("""
                resilience4j.circuitbreaker:
                  configs:
                    default: {failure-rate-threshold: 20, sliding-window-size: 7, ignore-exceptions: [java.io.IOException]}
                    shared: {minimum-number-of-calls: 4}
                  instances.a.base-config: shared
                """)).contains("""
                    a:
                      failure-threshold: 0
                      minimum-calls: 4
                      open-duration: 60s
                      open-duration-multiplier: 1.0
                      window:
                        type: count
                """);
    }

    @Test
    void aRetrysConfigurationWithoutABaseStartsFromTheDefault() {
        assertThat(yaml("""
                resilience4j.retry:
                  configs:
                    default: {max-attempts: 9}
                    shared: {wait-duration: 1s}
                  instances.a.base-config: shared
                """)).contains("""
                    a:
                      backoff:
                        base-delay: 1s
                        jitter: none
                        strategy: fixed
                      max-attempts: 9
                """);
    }

    @Test
    void aPolicyIsWrittenWithAllThatItStartsFrom() {
        String migrated = yaml("""
                resilience4j.timelimiter.configs.default.timeout-duration: 4s
                resilience4j.retry:
                  configs:
                    default: {max-attempts: 9, wait-duration: 2s}
                    patient: {base-config: default, wait-duration: 9s}
                    strict: {base-config: patient, ignore-exceptions: [java.io.IOException]}
                  instances.a: {base-config: strict, max-attempts: 5}
                """);

        assertThat(migrated)
                .as("nothing starts from the configuration of time limits")
                .contains("resilience4j.timelimiter.configs.default.timeout-duration: 4s")
                .doesNotContain("resilience4j.retry", "time-limit:")
                .contains("""
                    a:
                      backoff:
                        base-delay: 9s
                        jitter: none
                        strategy: fixed
                      do-not-retry-on: java.io.IOException
                      max-attempts: 5
                      retry-on: java.lang.Exception
                """);
    }

    @Test
    void propertiesOfSeveralDocumentsStayAndSoDoTheAnnotations() {
        String properties =
                "resilience4j.retry.instances.a.maxAttempts=5\n#---\nspring.config.activate.on-profile=dev\n";
        Sources migrated = fromResilience4j("Shop.java", SHOP, "application.properties", properties);

        assertThat(migrated.get("application.properties")).isEqualTo(properties);
        assertThat(migrated.get("Shop.java")).contains("cannot be read", "@Retry(name = \"a\")");
    }

    @Test
    void anInstanceThatIsCalledDefaultIsOneOfMany() {
        Sources migrated = fromResilience4j(
                "Shop.java",
                SHOP.replace("@Retry(name = \"a\")", "@Retry(name = \"default\")"),
                "application.yml",
                """
                resilience4j.retry:
                  configs.default.max-attempts: 2
                  instances.default.wait-duration: 1s
                """);

        assertThat(migrated.get("Shop.java")).contains("@Retryable(\"default-instance\")");
        assertThat(migrated.get("application.yml")).contains("""
                    default-instance:
                      backoff:
                        base-delay: 1s
                        jitter: none
                        strategy: fixed
                      retry-on: java.lang.Exception
                """).doesNotContain("default:", "max-attempts");
    }

    @Test
    void aProfileSaysWhatItsKeysMeanOverTheOthers() {
        Sources migrated = fromResilience4j(
                "src/main/java/Shop.java",
                SHOP,
                "src/main/resources/application.yml",
                """
                resilience4j:
                  circuitbreaker.instances.a: {sliding-window-type: TIME_BASED, sliding-window-size: 60}
                  bulkhead.instances.a.max-wait-duration: 0
                """,
                "src/main/resources/application-prod.yml",
                """
                resilience4j:
                  circuitbreaker.instances.a.sliding-window-size: 10
                  bulkhead.instances.a.max-wait-duration: 1s
                """);

        assertThat(migrated.get("src/main/resources/application-prod.yml")).isEqualTo("""
                resilience:
                  bulkhead:
                    a:
                      max-queue: 2147483647
                      queue-timeout: 1s
                  circuit-breaker:
                    a:
                      window:
                        duration: 10s
                """);
    }

    @Test
    void aPolicyThatOnlyAnAnnotationNamesStartsFromTheDefaultOfPropertiesToo() {
        Sources migrated = fromResilience4j(
                "Shop.java", SHOP, "application.properties", "resilience4j.retry.configs.default.maxAttempts=5\n");

        assertThat(migrated.get("application.properties")).contains("resilience.retry.a.max-attempts=5\n");
    }

    @Test
    void exceptionsOfResilience4jAreOursInYaml() {
        assertThat(yaml("""
                resilience4j:
                  retry.instances.a.ignore-exceptions:
                  - io.github.resilience4j.circuitbreaker.CallNotPermittedException
                  - java.util.concurrent.TimeoutException
                """))
                .contains(
                        "do-not-retry-on: [dev.resilience.exception.CircuitOpenException,"
                                + " java.util.concurrent.TimeoutException, dev.resilience.exception.TimeLimitExceededException]");
    }

    @Test
    void anExceptionKeepsItsNameWhereAnnotationsStayAndThenAllOfItsKindDo() {
        String handler = """
            import io.github.resilience4j.circuitbreaker.CallNotPermittedException;

            class Handler {
                void handle(CallNotPermittedException refused) {}
            }
            """;
        String staying = """
            import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;

            class Staying {
                @CircuitBreaker(name = "#root.methodName")
                void stay() {}
            }
            """;

        Sources without = fromResilience4j("Handler.java", handler, "Shop.java", SHOP);
        assertThat(without.get("Handler.java"))
                .contains(
                        "import dev.resilience.exception.CircuitOpenException;",
                        "handle(CircuitOpenException refused)");

        Sources with = fromResilience4j("Handler.java", handler, "Shop.java", SHOP, "Staying.java", staying);
        assertThat(with.get("Handler.java")).contains("handle(CallNotPermittedException refused)");
        assertThat(with.get("Shop.java"))
                .contains(
                        "// resilience-migration: CallNotPermittedException is handled, and @CircuitBreaker on Staying.stay stays")
                .contains("    @CircuitBreaker(name = \"a\")\n", "@Retryable(\"a\")");
    }

    @Test
    void applicationsOfOneTreeHaveTheirOwnConfiguration() {
        Sources migrated = fromResilience4j(
                "one/src/main/java/com/acme/Shop.java",
                SHOP,
                "one/src/main/resources/application.yml",
                "resilience4j.retry.configs.default.max-attempts: 7\n",
                "two/src/main/java/com/acme/Shop.java",
                SHOP,
                "two/src/main/resources/application.yml",
                "resilience4j.retry.instances.a.max-attempts: 2\n");

        assertThat(migrated.get("one/src/main/resources/application.yml"))
                .contains("      max-attempts: 7\n")
                .doesNotContain("max-attempts: 2");
        assertThat(migrated.get("two/src/main/resources/application.yml"))
                .contains("      max-attempts: 2\n")
                .doesNotContain("max-attempts: 7");
    }

    @Test
    void theOrderOfTheAspectsIsTheOneThatIsWritten() {
        assertThat(yaml("resilience4j.retry.instances.a.max-attempts: 2\n"))
                .contains("order: [idempotent, retry, circuit-breaker, time-limit, bulkhead]");
        assertThat(yaml("""
                resilience4j:
                  circuitbreaker.circuit-breaker-aspect-order: 1
                  retry.retry-aspect-order: 2
                """)).contains("order: [idempotent, circuit-breaker, retry, time-limit, bulkhead]");
        assertThat(fromResilience4j(
                                "Shop.java",
                                SHOP.replace("    @Retry(name = \"a\")\n", "")
                                        .replace("    @Bulkhead(name = \"a\")\n", ""))
                        .get("src/main/resources/application.yml"))
                .contains("circuit-breaker:")
                .doesNotContain("order:");
    }

    @Test
    void aPolicyThatCannotBeTranslatedStaysWholeAndSoDoItsAnnotations() {
        Sources migrated = fromResilience4j("Shop.java", SHOP, "application.yml", """
                resilience4j:
                  retry:
                    instances:
                      a:
                        max-attempts: 2
                        result-predicate: com.acme.Pending
                      b:
                        max-attempts: 4
                """);

        assertThat(migrated.get("Shop.java")).contains("""
                    // resilience-migration: its policy is not translated: write 'retry-on-result' in its place: it is a SpEL\
                 expression over #result, such as "#result.status == 'PENDING'"
                    @Retry(name = "a")
                    @CircuitBreaker("a")
                """);
        assertThat(migrated.get("application.yml"))
                .contains("""
                resilience4j:
                  retry:
                    instances:
                      a:
                        max-attempts: 2
                        # resilience-migration: write 'retry-on-result' in its place: it is a SpEL expression over #result,\
                 such as "#result.status == 'PENDING'"
                        result-predicate: com.acme.Pending
                """, "    b:\n", "      max-attempts: 4\n")
                .containsOnlyOnce("max-attempts: 2");
    }

    @Test
    void aConstantThatHoldsAPlaceholderIsOne() {
        Sources migrated = Sources.of("Api.java", """
            import org.springframework.retry.annotation.Backoff;
            import org.springframework.retry.annotation.Retryable;

            interface Api {
                String ATTEMPTS = "${api.attempts}";
                String DELAY = "${api.delay:10}";

                @Retryable(retryFor = IllegalStateException.class, maxAttemptsExpression = ATTEMPTS, backoff = @Backoff(delayExpression = DELAY))
                void call();
            }
            """, "Named.java", """
            import io.github.resilience4j.retry.annotation.Retry;

            class Named {
                static final String NAME = "${named.policy}";

                @Retry(name = NAME)
                void call() {}
            }
            """).migrated();

        assertThat(migrated.get("Api.java"))
                .contains(
                        "value = \"Api.call\"",
                        "delay = \"${api.delay:10}ms\"",
                        "retryOn = IllegalStateException.class");
        assertThat(migrated.get("src/main/resources/application.yml"))
                .contains("\"[Api.call]\":\n      max-attempts: \"${api.attempts}\"");
        assertThat(migrated.get("Named.java"))
                .contains("// resilience-migration: which policy it names is not known", "@Retry(name = NAME)");
    }

    @Test
    void aThresholdThatIsAPlaceholderIsNotReadAsARatio() {
        assertThat(yaml("resilience4j.circuitbreaker.instances.a.failure-rate-threshold: ${RATE:50}\n"))
                .contains("resilience4j.circuitbreaker.instances.a.failure-rate-threshold: ${RATE:50}")
                .doesNotContain("failure-rate-threshold: \"${RATE:50}\"");
    }

    @Test
    void aConfigurationFileThatCannotBeReadIsNeitherChangedNorReplaced() {
        String broken = "resilience4j: {{ template }}\n  - nonsense: [\n";
        Sources migrated = fromResilience4j("Shop.java", SHOP, "application.yml", broken);

        assertThat(migrated.get("application.yml")).isEqualTo(broken);
        assertThat(migrated.get("Shop.java")).contains("cannot be read", "@Retry(name = \"a\")");
    }

    @Test
    void constantsOfKotlinAreKnown() {
        Sources migrated = Sources.of("Tasks.kt", """
            import io.github.resilience4j.retry.annotation.Retry

            const val TOP = "top"

            open class Tasks {
                @Retry(name = NAME)
                open fun first() {}

                @Retry(name = TOP)
                open fun second() {}

                companion object {
                    const val NAME = "name"
                }
            }
            """).migrated();

        assertThat(migrated.get("Tasks.kt")).contains("@Retryable(NAME)", "@Retryable(TOP)");
        assertThat(migrated.get("src/main/resources/application.yml")).contains("    name:\n", "    top:\n");
    }

    @Test
    void kotlinIsRewritten() {
        Sources migrated = Sources.of("Tasks.kt", """
            package com.acme

            import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker
            import java.io.IOException
            import org.springframework.retry.annotation.Backoff
            import org.springframework.retry.annotation.Recover
            import org.springframework.retry.annotation.Retryable

            open class Tasks {
                @CircuitBreaker(name = "tasks", fallbackMethod = "none")
                open fun first(): String = "first"

                open fun none(failure: Throwable): String = ""

                @Retryable(retryFor = [IOException::class], maxAttempts = 5, backoff = Backoff(delay = 200, multiplier = 2.0))
                open fun second(id: Long): Int = 2

                @Recover
                open fun zero(failure: IOException, id: Long): Int = 0

                @Retryable(maxAttemptsExpression = "\\${tasks.attempts}")
                open fun third() {}

                @Retryable(IOException::class)
                open fun fourth() {}
            }
            """).migrated();

        assertThat(migrated.get("Tasks.kt")).isEqualTo("""
            package com.acme

            import java.io.IOException

            import dev.resilience.annotation.CircuitBreaker
            import dev.resilience.annotation.Fallback
            import org.springframework.retry.annotation.Retryable

            open class Tasks {
                @CircuitBreaker("tasks")
                @Fallback("none")
                open fun first(): String = "first"

                open fun none(failure: Throwable): String = ""

                @dev.resilience.annotation.Retryable(
                        maxAttempts = 5,
                        delay = "200ms",
                        multiplier = 2.0,
                        retryOn = [IOException::class])
                @Fallback("zero")
                open fun second(id: Long): Int = 2

                open fun zero(failure: IOException, id: Long): Int = 0

                @dev.resilience.annotation.Retryable(value = "Tasks.third", multiplier = 1.0, retryUnknown = true)
                open fun third() {}

                // resilience-migration: write its exceptions as a list with a name: retryFor = [...]
                @Retryable(IOException::class)
                open fun fourth() {}
            }
            """);
    }

    @Test
    void annotationsBehindModifiersAreRewrittenToo() {
        String path = "src/main/java/com/acme/Shop.java";
        String shop = """
            package com.acme;

            import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
            import io.github.resilience4j.retry.annotation.Retry;

            public @CircuitBreaker(name = "a") class Shop {
                public @Retry(name = "a") String sell() {
                    return "";
                }

                protected final @Retry(name = "a") void give() {}
            }
            """;

        assertThat(fromResilience4j(path, shop).get(path)).isEqualTo("""
            package com.acme;

            import dev.resilience.annotation.CircuitBreaker;
            import dev.resilience.annotation.Retryable;

            public @CircuitBreaker("a") class Shop {
                public @Retryable("a") String sell() {
                    return "";
                }

                protected final @Retryable("a") void give() {}
            }
            """);
    }
}
