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
 * <p>The fallback method is one of the same class. It takes the method's parameters, the first few of them, or none, and
 * optionally one {@link Throwable} subtype before or after them; returns a compatible type; and throws no checked exception
 * that the method does not declare. Among overloads the one with the closest exception type answers, and of those with the
 * same the one with the most parameters.
 *
 * <p>With {@code "bean::method"} it is a method of another bean, called through its proxy, so that its own annotations hold.
 * A fallback method of the same class is called as the method itself would call it: its annotations do nothing then.
 *
 * <p>The fallback wraps everything else, unless {@code resilience.order} says otherwise: it sees refusals of circuit breaker
 * and bulkhead too. Its result is never stored as an idempotent result.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Fallback {

    /** Name of the fallback method, or {@code bean::method}. */
    String value();

    /**
     * Exceptions that are answered by the fallback; none listed means all but the refusals that concern the caller's own
     * idempotency key: missing, invalid, reused, in progress, outcome unknown. These are answered only if they are listed
     * themselves, and not by a supertype.
     */
    Class<? extends Throwable>[] on() default {};

    /** Exceptions that are not answered by the fallback, even if {@link #on()} lists a supertype. */
    Class<? extends Throwable>[] except() default {};
}
