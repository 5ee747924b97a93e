package dev.resilience.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the method once per key: a second call with the same key gets the first one's result.
 *
 * <p>One of {@link #key()} and {@link #header()} must be set. A key is unique per method and caller scope. The result
 * is stored as JSON and read back through the method's generic return type. An answer to a request of Spring MVC whose body
 * cannot be read back is kept as the bytes that were sent.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Idempotent {

    /**
     * Name of the policy under {@code resilience.idempotency}: a literal or a {@code ${placeholder}}. With {@link #ttl()}
     * and {@code "default"}, which is no name, the policy is the method's own: {@code OrderService.place}, or {@code
     * OrderService} if the annotation stands on a type.
     */
    String value() default "default";

    /**
     * SpEL expression over the arguments that gives the key: {@code #orderId}, {@code #request.id}, {@code #p0}.
     * Parsed at startup; an expression that does not parse, names no argument or gives a value without a text that is always
     * the same, such as a map, fails the startup.
     */
    String key() default "";

    /**
     * Name of the header that holds the key: of the request, usually {@code Idempotency-Key}, or of the message where the
     * method listens to Kafka, AMQP or JMS.
     */
    String header() default "";

    /**
     * Whether a call must have a key. Without one it is refused; with {@code false} it runs unprotected, as often as it
     * is made, and is counted as {@code no_key}. No key is a request without the header, or an expression that gives
     * {@code null}; an empty or invalid key is refused all the same.
     */
    boolean required() default true;

    /**
     * SpEL expression over the arguments for what is compared with the first call under a key, in place of all arguments:
     * {@code {#order.id, #order.amount}}. Not asked if the policy's {@code fingerprint} is {@code false}.
     */
    String fingerprint() default "";

    /** The type to read a stored result back as, where the declared return type is not enough. */
    Class<?> resultType() default void.class;

    /**
     * How long a result is replayed, counted from completion, with a unit: {@code "1h"}; a {@code ${placeholder}} too. Not
     * shorter than the policy's {@code lease}. What is written below {@code resilience.idempotency.<name>} goes before it.
     * Unset: {@code ttl} of the policy, 24 h by default.
     */
    String ttl() default "";

    /** Whether the method is protected; {@code false} on a method switches off the annotation of its type. */
    boolean enabled() default true;
}
