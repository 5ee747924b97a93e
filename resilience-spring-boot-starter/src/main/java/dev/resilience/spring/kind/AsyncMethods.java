package dev.resilience.spring.kind;

import java.lang.reflect.Method;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/** Knows the methods that Spring's {@code @Async} moves to an executor. */
public final class AsyncMethods {

    private AsyncMethods() {}

    /** Whether the method is annotated, or the class of the bean. */
    public static boolean is(Method method, Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class);
    }
}
