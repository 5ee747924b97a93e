package com.example.throttle;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Lets only so many calls through in a period; {@code value} is the name of a policy, the others are values of it. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Throttled {

    String value() default "";

    int maxCalls() default 0;

    String period() default "";

    boolean enabled() default true;
}
