package dev.resilience.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Calls the method a second time while the first attempt is slow, and answers with what comes first. For methods that are
 * {@link Idempotent} too, or that change nothing ({@code side-effect-free} of the policy); a method has either this or {@link
 * Retryable}.
 *
 * <p>On a type it applies to every method that is not private; on a method it replaces the type's. An unknown policy name
 * fails the startup.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Hedge {

    /**
     * Name of the policy under {@code resilience.hedge}: a literal or a {@code ${placeholder}}, resolved at startup. Without a
     * name, {@code default}.
     */
    String value() default "";

    /** Whether the method is protected; {@code false} on a method switches off the annotation of its type. */
    boolean enabled() default true;
}
