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
 * <p>On a type it applies to every public method; on a method it replaces the type's. An unknown policy name fails
 * the startup.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Retryable {

    /**
     * Name of the policy under {@code resilience.retry}: a literal or a {@code ${placeholder}}, resolved at startup.
     */
    String value();
}
