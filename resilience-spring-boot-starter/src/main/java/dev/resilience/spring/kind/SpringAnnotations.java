package dev.resilience.spring.kind;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;

/** The annotations of others on protected methods that matter to several kinds. */
public final class SpringAnnotations {

    /** By name, because an application need not have transactions. */
    private static final List<String> TRANSACTIONAL =
            List.of("org.springframework.transaction.annotation.Transactional", "jakarta.transaction.Transactional");

    /** Propagations; called {@code TxType} by Jakarta. */
    private static final Set<String> WITHOUT = Set.of("NOT_SUPPORTED", "NEVER");

    private SpringAnnotations() {}

    /** Whether {@code @Async} on the method or on the class of the bean moves its calls to an executor. */
    public static boolean isAsync(Method method, Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class);
    }

    /**
     * Whether the method or its class is annotated as transactional, be it by a meta-annotation or an interface, and may run in
     * a transaction.
     */
    public static boolean isTransactional(Method method, Class<?> type) {
        return Stream.of(method, type)
                .flatMap(element -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream())
                .filter(found -> TRANSACTIONAL.contains(found.getType().getName()))
                .limit(1)
                .anyMatch(found ->
                        found.asMap().values().stream().map(String::valueOf).noneMatch(WITHOUT::contains));
    }
}
