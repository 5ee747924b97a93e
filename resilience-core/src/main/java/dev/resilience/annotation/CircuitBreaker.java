package dev.resilience.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Refuses calls with {@link dev.resilience.exception.CircuitOpenException} while what the method calls is down.
 *
 * <p>On a type it applies to every method that is not private; on a method it replaces the type's. An unknown policy name
 * fails the startup. Methods that name the same policy share one circuit breaker.
 *
 * <p>The attributes besides {@link #value()}, {@link #key()} and {@link #enabled()} are values of the policy. One that is left at its
 * default is unset, and the policy has what {@code default} says. What is written below {@code resilience.circuit-breaker.<name>} goes
 * before the annotation. A value that cannot be read or is out of limits fails the startup, and so do two annotations that
 * give one name different values; one that has the name alone shares the policy.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface CircuitBreaker {

    /**
     * Name of the policy under {@code resilience.circuit-breaker}: a literal or a {@code ${placeholder}}, resolved at startup.
     * Without a name, an annotation with values makes a policy of its own, named after the method, {@code
     * OrderService.place}, or after the type if it stands on a type; one without values uses {@code default}.
     */
    String value() default "";

    /** Failures in a row that open the circuit; 0 for off. Unset: {@code failure-threshold} of the policy. */
    int failureThreshold() default Integer.MIN_VALUE;

    /**
     * Share of failed calls in the window that opens the circuit, from 0 to 1; 0 for off. Unset: {@code
     * failure-rate-threshold} of the policy.
     */
    double failureRateThreshold() default Double.NaN;

    /**
     * How long the circuit stays open before a probe is let through, with a unit: {@code "30s"}; a {@code ${placeholder}}
     * too. Above zero. Unset: {@code open-duration} of the policy.
     */
    String openDuration() default "";

    /**
     * SpEL over the arguments: {@code #tenant}, {@code #order.shard}, {@code #p0}. Each key has a circuit breaker of its own, with a state
     * of its own, made of the policy: at most {@code max-keys}, 10,000 by default, beyond which the least recently used go.
     * Keys are compared as texts; calls whose key is {@code null} or empty share one. An expression that fails, fails the
     * call. When half of at least ten keys are open, all calls are refused. Empty, the default: one circuit breaker for all calls.
     */
    String key() default "";

    /** Whether the method is protected; {@code false} on a method switches off the annotation of its type. */
    boolean enabled() default true;
}
