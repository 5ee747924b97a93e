package dev.resilience.spring.kind;

import java.lang.reflect.Method;
import java.util.List;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;

/** The annotations of others on protected methods that matter to several kinds. */
public final class SpringAnnotations {

    /** By name, because an application need not have transactions. */
    private static final List<String> TRANSACTIONAL =
            List.of("org.springframework.transaction.annotation.Transactional", "jakarta.transaction.Transactional");

    private SpringAnnotations() {}

    /** Whether {@code @Async} on the method or on the class of the bean moves its calls to an executor. */
    public static boolean isAsync(Method method, Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class);
    }

    /** Whether the method or its class is annotated as transactional, be it by a meta-annotation or an interface. */
    public static boolean isTransactional(Method method, Class<?> type) {
        MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotations onType = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
        return TRANSACTIONAL.stream().anyMatch(name -> onMethod.isPresent(name) || onType.isPresent(name));
    }
}
