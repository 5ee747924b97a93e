package dev.resilience.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Bounds how many calls run at once; the others wait in a queue or are refused with
 * {@link dev.resilience.exception.BulkheadFullException}.
 *
 * <p>On a type it applies to every method that is not private; on a method it replaces the type's. An unknown policy name
 * fails the startup. Methods that name the same policy share one bulkhead.
 *
 * <p>The attributes besides {@link #value()}, {@link #key()} and {@link #enabled()} are values of the policy. One that is left at its
 * default is unset, and the policy has what {@code default} says. What is written below {@code resilience.bulkhead.<name>} goes
 * before the annotation. A value that cannot be read or is out of limits fails the startup, and so do two annotations that
 * give one name different values; one that has the name alone shares the policy.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Bulkhead {

    /**
     * Name of the policy under {@code resilience.bulkhead}: a literal or a {@code ${placeholder}}, resolved at startup.
     * Without a name, an annotation with values makes a policy of its own, named after the method, {@code
     * OrderService.place}, or after the type if it stands on a type; one without values uses {@code default}.
     */
    String value() default "";

    /** Calls that run at the same time; at least 1. Unset: {@code max-concurrent} of the policy, 10 by default. */
    int maxConcurrent() default Integer.MIN_VALUE;

    /** Calls that wait; 0 refuses at once. Unset: {@code max-queue} of the policy, 50 by default. */
    int maxQueue() default Integer.MIN_VALUE;

    /**
     * SpEL over the arguments: {@code #tenant}, {@code #order.shard}, {@code #p0}. Each key has a bulkhead of its own, with permits
     * of its own, made of the policy: at most {@code max-keys}, 10,000 by default, beyond which the least recently used go.
     * Keys are compared as texts; calls whose key is {@code null} or empty share one. An expression that fails, fails the
     * call. Empty, the default: one bulkhead for all calls.
     */
    String key() default "";

    /** Whether the method is protected; {@code false} on a method switches off the annotation of its type. */
    boolean enabled() default true;
}
