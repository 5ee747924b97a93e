package com.acme.weather;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.springframework.core.annotation.AliasFor;
import org.springframework.resilience.annotation.Retryable;

@Retention(RetentionPolicy.RUNTIME)
@Retryable(maxRetries = 2)
public @interface NetworkRetry {

    @AliasFor(annotation = Retryable.class, attribute = "delay")
    long delay() default 10;
}
