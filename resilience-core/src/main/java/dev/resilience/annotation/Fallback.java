package dev.resilience.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the method that answers when the call failed, whatever else protects it.
 *
 * <p>The fallback method is one of the same class with the same parameters, optionally followed by one
 * {@link Throwable} subtype, and a compatible return type. Among overloads the one with the closest exception type
 * answers. It wraps everything else: it sees refusals of circuit breaker and bulkhead too, and its result is never
 * stored as an idempotent result.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Fallback {

    /** Name of the fallback method. */
    String value();

    /** Exceptions that are answered by the fallback; none listed means all. */
    Class<? extends Throwable>[] on() default {};

    /** Exceptions that are not answered by the fallback, even if {@link #on()} lists a supertype. */
    Class<? extends Throwable>[] except() default {};
}
