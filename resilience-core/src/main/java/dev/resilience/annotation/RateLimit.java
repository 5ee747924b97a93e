package dev.resilience.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Bounds how many calls there are in a period; the others wait for a while or are refused with
 * {@link dev.resilience.exception.RateLimitExceededException}.
 *
 * <p>On a type it applies to every method that is not private; on a method it replaces the type's. An unknown policy name
 * fails the startup. Methods that name the same policy share one limit.
 *
 * <p>The attributes besides {@link #value()}, {@link #key()} and {@link #enabled()} are values of the policy. One that is left
 * at its default is unset, and the policy has what {@code default} says. Properties below {@code resilience.rate-limit.<name>}
 * override the annotation. A value that cannot be read or is out of limits fails the startup, and so do two annotations that give
 * one name different values; one that has the name alone shares the policy.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface RateLimit {

    /**
     * Name of the policy under {@code resilience.rate-limit}: a literal or a {@code ${placeholder}}, resolved at startup.
     * Without a name, an annotation with values makes a policy of its own, named after the method, {@code
     * OrderService.place}, or after the type if it stands on a type; one without values uses {@code default}.
     */
    String value() default "";

    /** Calls in a period; at least 1. Unset: {@code permits} of the policy, 100 by default. */
    int permits() default Integer.MIN_VALUE;

    /** The period, with a unit: {@code 1s}, {@code 1m}. Unset: {@code period} of the policy, 1 s by default. */
    String period() default "";

    /**
     * SpEL over the arguments: {@code #customer}, {@code #order.tenant}, {@code #p0}. Each key has a limit of its own, with all
     * permits of the policy: at most {@code max-keys}, 10,000 by default, beyond which the least recently used go, those that miss
     * a permit after all others. Keys are compared as texts; calls whose key is {@code null} or empty share one. An expression that
     * fails, fails the call. Empty, the default: one limit for all calls.
     */
    String key() default "";

    /** Whether the method is protected; {@code false} on a method switches off the annotation of its type. */
    boolean enabled() default true;
}
