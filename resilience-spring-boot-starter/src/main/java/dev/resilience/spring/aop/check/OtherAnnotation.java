package dev.resilience.spring.aop.check;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * An annotation of another library that looks like one of this library.
 *
 * @param name of its class
 * @param ours the simple name of this library's annotation, or {@code null} if it has none for that
 * @param enabling the class of the bean without which it does nothing; {@code null} if Spring never looks at it
 * @param switchedOnBy what brings that bean
 */
record OtherAnnotation(
        String name, @Nullable String ours, @Nullable String enabling, String switchedOnBy) {

    private static final String OURS = "dev.resilience.annotation.";
    private static final String FALLBACK_OF_BEANS = "org.springframework.context.annotation.Fallback";

    static final List<OtherAnnotation> ALL = List.of(
            ofSpring("Retryable", "Retryable", "RetryAnnotationBeanPostProcessor"),
            ofSpring("ConcurrencyLimit", "Bulkhead", "ConcurrencyLimitBeanPostProcessor"),
            new OtherAnnotation(FALLBACK_OF_BEANS, "Fallback", null, ""),
            ofSpringRetry("Retryable", "Retryable"),
            ofSpringRetry("CircuitBreaker", "CircuitBreaker"),
            ofSpringRetry("Recover", "Fallback"),
            ofResilience4j("retry", "Retry", "Retryable"),
            ofResilience4j("circuitbreaker", "CircuitBreaker", "CircuitBreaker"),
            ofResilience4j("bulkhead", "Bulkhead", "Bulkhead"),
            ofResilience4j("timelimiter", "TimeLimiter", "TimeLimit"),
            ofResilience4j("ratelimiter", "RateLimiter", null),
            ofMicroProfile("Retry", "Retryable"),
            ofMicroProfile("CircuitBreaker", "CircuitBreaker"),
            ofMicroProfile("Bulkhead", "Bulkhead"),
            ofMicroProfile("Timeout", "TimeLimit"),
            ofMicroProfile("Fallback", "Fallback"));

    private static OtherAnnotation ofSpring(String name, String ours, String enabling) {
        String prefix = "org.springframework.resilience.annotation.";
        return new OtherAnnotation(
                prefix + name, ours, prefix + enabling, "put @EnableResilientMethods on a configuration class");
    }

    private static OtherAnnotation ofSpringRetry(String name, String ours) {
        String prefix = "org.springframework.retry.annotation.";
        return new OtherAnnotation(
                prefix + name, ours, prefix + "RetryConfiguration", "put @EnableRetry on a configuration class");
    }

    private static OtherAnnotation ofResilience4j(String kind, String name, @Nullable String ours) {
        return new OtherAnnotation(
                "io.github.resilience4j." + kind + ".annotation." + name,
                ours,
                "io.github.resilience4j.spring6." + kind + ".configure." + name + "Aspect",
                "add io.github.resilience4j:resilience4j-spring-boot4");
    }

    private static OtherAnnotation ofMicroProfile(String name, String ours) {
        return new OtherAnnotation("org.eclipse.microprofile.faulttolerance." + name, ours, null, "");
    }

    /** The annotation's class, or {@code null} if it is not on the class path. */
    @Nullable
    Class<? extends Annotation> load(@Nullable ClassLoader loader) {
        Class<?> found = loadIfPresent(name, loader);
        return found == null ? null : found.asSubclass(Annotation.class);
    }

    /** The class of the bean that enables it, or {@code null} if there cannot be one. */
    @Nullable
    Class<?> enabling(@Nullable ClassLoader loader) {
        return enabling == null ? null : loadIfPresent(enabling, loader);
    }

    boolean retries() {
        return "Retryable".equals(ours);
    }

    /**
     * Whether it stands where it has a meaning without being enabled: Spring's {@code @Fallback} marks beans as the last
     * choice, by their {@code @Bean} method or their class.
     */
    boolean isAtHome(AnnotatedElement element) {
        return name.equals(FALLBACK_OF_BEANS)
                && (element instanceof Class || AnnotatedElementUtils.hasAnnotation(element, Bean.class));
    }

    /** Why it does nothing, and what to do about it. */
    String cure() {
        if (name.equals(FALLBACK_OF_BEANS)) {
            return "it is for beans, not for their methods. Import " + OURS + ours + " in its place";
        }
        if (enabling == null) {
            return "nothing in Spring knows it. Import " + OURS + ours + " in its place";
        }
        return "nothing enables it. " + (ours == null ? "Remove it" : "Import " + OURS + ours + " in its place")
                + ", or " + switchedOnBy;
    }

    private static @Nullable Class<?> loadIfPresent(String name, @Nullable ClassLoader loader) {
        try {
            return ClassUtils.forName(name, loader);
        } catch (ClassNotFoundException | LinkageError absent) {
            return null;
        }
    }
}
