package dev.resilience.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Repeats the call when it fails for a reason that is likely to pass.
 *
 * <p>On a type it applies to every method that is not private; on a method it replaces the type's. An unknown policy name
 * fails the startup.
 *
 * <p>The attributes besides {@link #value()} and {@link #enabled()} are values of the policy. One that is left at its
 * default is unset, and the policy has what {@code default} says. What is written below {@code resilience.retry.<name>} goes
 * before the annotation. A value that cannot be read or is out of limits fails the startup, and so do two annotations that
 * give one name different values; one that has the name alone shares the policy.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Retryable {

    /**
     * Name of the policy under {@code resilience.retry}: a literal or a {@code ${placeholder}}, resolved at startup.
     * Without a name, an annotation with values makes a policy of its own, named after the method, {@code
     * OrderService.place}, or after the type if it stands on a type; one without values uses {@code default}.
     */
    String value() default "";

    /** Calls in all, the first one included; at least 1. Unset: {@code max-attempts} of the policy, 3 by default. */
    int maxAttempts() default Integer.MIN_VALUE;

    /**
     * The first delay ({@code backoff.base-delay}), with a unit: {@code "200ms"}, or {@code "0"} for none; a {@code
     * ${placeholder}} too. Not longer than {@link #maxDelay()}; how it is scattered is the policy's jitter. Unset: the
     * policy's, 1 s by default.
     */
    String delay() default "";

    /** By what each delay is longer than the one before ({@code backoff.multiplier}); at least 1. Unset: the policy's, 2. */
    double multiplier() default Double.NaN;

    /**
     * The longest delay ({@code backoff.max-delay}), with a unit: {@code "5s"}; a {@code ${placeholder}} too. Above zero.
     * Unset: the policy's, 30 s by default.
     */
    String maxDelay() default "";

    /** Exceptions that are retried, subclasses included, also if they are classified as permanent. Unset: those of the policy. */
    Class<? extends Throwable>[] retryOn() default {};

    /** Exceptions that are never retried, subclasses included. Unset: those of the policy. */
    Class<? extends Throwable>[] doNotRetryOn() default {};

    /**
     * Whether exceptions are retried that are neither known to be transient nor permanent: for calls that may be repeated
     * in any case. {@code false} is unset: what the policy's {@code retry-unknown} says.
     */
    boolean retryUnknown() default false;

    /** Whether the method is protected; {@code false} on a method switches off the annotation of its type. */
    boolean enabled() default true;
}
