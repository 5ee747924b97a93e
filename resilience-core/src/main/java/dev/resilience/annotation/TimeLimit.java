package dev.resilience.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Bounds how long a call takes; when its time is over it is interrupted, or cancelled if it is asynchronous, and its
 * caller gets a {@link dev.resilience.exception.TimeLimitExceededException}. Together with {@link Retryable} it bounds
 * each attempt.
 *
 * <p>On a type it applies to every method that is not private; on a method it replaces the type's. An unknown policy name
 * fails the startup.
 *
 * <p>The attributes besides {@link #value()} and {@link #enabled()} are values of the policy. One that is left at its
 * default is unset, and the policy has what {@code default} says. What is written below {@code resilience.time-limit.<name>} goes
 * before the annotation. A value that cannot be read or is out of limits fails the startup, and so do two annotations that
 * give one name different values; one that has the name alone shares the policy.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface TimeLimit {

    /**
     * Name of the policy under {@code resilience.time-limit}: a literal or a {@code ${placeholder}}, resolved at startup.
     * Without a name, an annotation with values makes a policy of its own, named after the method, {@code
     * OrderService.place}, or after the type if it stands on a type; one without values uses {@code default}.
     */
    String value() default "";

    /**
     * How long a call may take, with a unit: {@code "2s"}; a {@code ${placeholder}} too. Above zero. Unset: {@code timeout}
     * of the policy, 5 s by default.
     */
    String timeout() default "";

    /** Whether the method is protected; {@code false} on a method switches off the annotation of its type. */
    boolean enabled() default true;
}
