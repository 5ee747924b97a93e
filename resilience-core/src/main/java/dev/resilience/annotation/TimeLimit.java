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
 * <p>On a type it applies to every public method; on a method it replaces the type's. An unknown policy name fails
 * the startup.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface TimeLimit {

    /**
     * Name of the policy under {@code resilience.time-limit}: a literal or a {@code ${placeholder}}, resolved at
     * startup.
     */
    String value();
}
