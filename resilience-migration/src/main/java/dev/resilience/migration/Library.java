package dev.resilience.migration;

import java.util.Map;
import org.openrewrite.internal.NameCaseConvention;

/** What is known of a library that applications come from. */
enum Library {
    RESILIENCE4J(
            "docs/from-resilience4j.md",
            "(io.github|org.springframework.cloud.circuitbreaker).resilience4j\\..*",
            "io.github.resilience4j.(retry|circuitbreaker|bulkhead|timelimiter|ratelimiter|micrometer).annotation.\\w+"),
    SPRING_RETRY(
            "docs/from-spring-retry.md",
            "org.springframework.retry\\..*",
            "org.springframework.retry.annotation.(Retryable|CircuitBreaker|EnableRetry|Recover)"),
    SPRING_FRAMEWORK(
            "docs/from-spring-framework.md",
            "org.springframework.(core.retry|resilience)\\..*",
            "org.springframework.resilience.annotation.(Retryable|ConcurrencyLimit|EnableResilientMethods)");

    static final String RECOVER = "org.springframework.retry.annotation.Recover";

    /** Exceptions that have another name here. */
    static final Map<String, String> EXCEPTIONS = Map.of(
            "io.github.resilience4j.circuitbreaker.CallNotPermittedException",
            "dev.resilience.exception.CircuitOpenException",
            "io.github.resilience4j.bulkhead.BulkheadFullException",
            "dev.resilience.exception.BulkheadFullException",
            "org.springframework.resilience.InvocationRejectedException",
            "dev.resilience.exception.BulkheadFullException");

    /** The kinds of policies, by the annotations of all libraries and the keys of Resilience4j. */
    private static final Map<String, String> KINDS = Map.of(
            "retry", "retry",
            "retryable", "retry",
            "circuitbreaker", "circuit-breaker",
            "bulkhead", "bulkhead",
            "threadpoolbulkhead", "bulkhead",
            "concurrencylimit", "bulkhead",
            "timelimiter", "time-limit");

    final String page;

    /** Of the full names of all its types, and of its annotations: regular expressions. */
    final String types;

    final String annotations;

    Library(String page, String types, String annotations) {
        this.page = page;
        this.types = types;
        this.annotations = annotations;
    }

    /** Whether a type is of the library and is used in code: not an annotation and not an exception. */
    boolean isCode(String type) {
        return type.matches(types) && !type.matches(".*(\\.annotation\\..*|Exception|\\.RequestNotPermitted)");
    }

    /** Empty if there is none. */
    static String kind(String theirs) {
        return KINDS.getOrDefault(ForeignKeys.uniform(theirs), "");
    }

    /** Our annotation for a kind. */
    static String annotation(String kind) {
        return kind.equals("retry") ? "Retryable" : NameCaseConvention.UPPER_CAMEL.format(kind);
    }

    static String simple(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
