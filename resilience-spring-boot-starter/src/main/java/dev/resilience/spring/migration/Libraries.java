package dev.resilience.spring.migration;

import java.util.Map;
import java.util.Set;

/** The names of other libraries that the converter knows. */
final class Libraries {

    static final String RESILIENCE4J = "io.github.resilience4j.";
    static final String SPRING_RETRY = "org.springframework.retry.annotation.";
    static final String SPRING_FRAMEWORK = "org.springframework.resilience.annotation.";

    private static final String OTHER_OBJECTS =
            "it has none of the objects of this library's annotations: ResilienceRegistry has them";
    private static final String OTHER_POLICIES =
            "it makes policies of Resilience4j alone: resilience.<kind>.<name>, or a policy as a bean";
    private static final String TEMPLATE = "write its numbers as resilience.retry.<name>, and"
            + " registry.pipeline(\"<name>\").call(() -> ...) in place of execute";
    private static final String FACTORY =
            "its Customizer configures Resilience4j's breakers alone: write the values as resilience.circuit-breaker.<id>"
                    + " and resilience.time-limit.<id>, and remove it with Spring Cloud's starter";

    static final Set<String> SWITCHES =
            Set.of(SPRING_RETRY + "EnableRetry", SPRING_FRAMEWORK + "EnableResilientMethods");

    static final Set<String> ANNOTATIONS = Set.of(
            RESILIENCE4J + "retry.annotation.Retry",
            RESILIENCE4J + "circuitbreaker.annotation.CircuitBreaker",
            RESILIENCE4J + "bulkhead.annotation.Bulkhead",
            RESILIENCE4J + "timelimiter.annotation.TimeLimiter",
            RESILIENCE4J + "ratelimiter.annotation.RateLimiter",
            RESILIENCE4J + "micrometer.annotation.Timer",
            SPRING_RETRY + "Retryable",
            SPRING_RETRY + "CircuitBreaker",
            SPRING_RETRY + "Recover",
            SPRING_RETRY + "EnableRetry",
            SPRING_FRAMEWORK + "Retryable",
            SPRING_FRAMEWORK + "ConcurrencyLimit",
            SPRING_FRAMEWORK + "EnableResilientMethods");

    /** Exceptions that have another name here. */
    static final Map<String, String> EXCEPTIONS = Map.of(
            RESILIENCE4J + "circuitbreaker.CallNotPermittedException",
            "dev.resilience.exception.CircuitOpenException",
            RESILIENCE4J + "bulkhead.BulkheadFullException",
            "dev.resilience.exception.BulkheadFullException",
            "org.springframework.resilience.InvocationRejectedException",
            "dev.resilience.exception.BulkheadFullException");

    /** Types of code that goes on to compile and that does something else when annotations are converted, by simple name. */
    private static final Map<String, String> IN_CODE = Map.ofEntries(
            Map.entry(
                    "RetrySynchronizationManager",
                    "getContext() is null in a retry of this library: its retry count is Attempt.current().number() - 1"),
            Map.entry(
                    "MethodRetryEvent",
                    "retries of this library do not publish it: a ResilienceListener bean hears of them"),
            Map.entry("RetryListener", "it hears of no retry of this library: a ResilienceListener bean does"),
            Map.entry("RetryTemplate", TEMPLATE),
            Map.entry("RetryOperations", TEMPLATE),
            Map.entry("CircuitBreakerRegistry", OTHER_OBJECTS),
            Map.entry("RetryRegistry", OTHER_OBJECTS),
            Map.entry("BulkheadRegistry", OTHER_OBJECTS),
            Map.entry("ThreadPoolBulkheadRegistry", OTHER_OBJECTS),
            Map.entry("TimeLimiterRegistry", OTHER_OBJECTS),
            Map.entry("CircuitBreakerConfig", OTHER_POLICIES),
            Map.entry("RetryConfig", OTHER_POLICIES),
            Map.entry("BulkheadConfig", OTHER_POLICIES),
            Map.entry("ThreadPoolBulkheadConfig", OTHER_POLICIES),
            Map.entry("TimeLimiterConfig", OTHER_POLICIES),
            Map.entry("IntervalFunction", "it is 'backoff' of resilience.retry.<name>"),
            Map.entry("Resilience4JCircuitBreakerFactory", FACTORY),
            Map.entry("ReactiveResilience4JCircuitBreakerFactory", FACTORY));

    private static final Set<String> PACKAGES = Set.of(
            RESILIENCE4J,
            "org.springframework.cloud.circuitbreaker.resilience4j.",
            "org.springframework.retry.",
            "org.springframework.core.retry.",
            "org.springframework.resilience.");

    private Libraries() {}

    /** Whether a type is of one of the libraries. */
    static boolean isForeign(String name) {
        return PACKAGES.stream().anyMatch(name::startsWith);
    }

    /** Whether a type is an exception, so that no call through it throws another one of the library. */
    static boolean isException(String name) {
        return name.endsWith("Exception") || name.endsWith(".RequestNotPermitted");
    }

    /** Whether a type is of one of the libraries and is used in code: not an annotation and not an exception. */
    static boolean isCode(String name) {
        return isForeign(name) && !isException(name) && !name.contains(".annotation.");
    }

    /** Why code that names a type of another library is left as it is. */
    static String whyKept(String name) {
        String ours = EXCEPTIONS.get(name);
        return ours != null
                ? "what is protected by this library throws " + ours + " instead: catch and handle that, too"
                : IN_CODE.getOrDefault(simple(name), "code uses it") + "; see 'In code' in " + page(name);
    }

    /** The page that maps the library that a type is of. */
    static String page(String name) {
        return name.startsWith("org.springframework.retry.")
                ? "docs/from-spring-retry.md"
                : name.startsWith(RESILIENCE4J) || name.startsWith("org.springframework.cloud.")
                        ? "docs/from-resilience4j.md"
                        : "docs/from-spring-framework.md";
    }

    /** The library that an annotation is of. */
    static String of(String name) {
        return name.startsWith(RESILIENCE4J) ? RESILIENCE4J : name.substring(0, name.lastIndexOf('.') + 1);
    }

    static String simple(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** What is different everywhere, so that it is said once. */
    static void notes(String name, Converted converted, Set<String> notes) {
        if (converted.attributes.containsKey("retryUnknown")) {
            notes.add("retryUnknown = true retries every exception but those that are known to be permanent"
                    + " (IllegalArgumentException, NullPointerException, status 400 ...);"
                    + " retryOn = Exception.class retries these too");
        }
        if (converted.attributes.containsKey("retryOn")) {
            notes.add("faults that are known to be transient are retried beside those of retryOn");
        }
        if (converted.kind.equals("retry") && !converted.keys.containsKey("backoff.jitter")) {
            notes.add("waits have full jitter here, between 0 and the delay;"
                    + " resilience.retry.default.backoff.jitter: none keeps them as they were");
        }
    }
}
