package dev.resilience.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Bounds how many calls run at once; the others wait in line or are refused with
 * {@link dev.resilience.exception.BulkheadFullException}.
 *
 * <p>On a type it applies to every public method; on a method it replaces the type's. An unknown policy name fails
 * the startup. Methods that name the same policy share one bulkhead.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Bulkhead {

    /**
     * Name of the policy under {@code resilience.bulkhead}: a literal or a {@code ${placeholder}}, resolved at startup.
     */
    String value();
}
