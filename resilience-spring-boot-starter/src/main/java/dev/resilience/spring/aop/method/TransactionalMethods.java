package dev.resilience.spring.aop.method;

import java.lang.reflect.Method;
import java.util.List;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Knows transactional methods by the names of their annotations: an application need not have transactions. */
public final class TransactionalMethods {

    private static final List<String> ANNOTATIONS =
            List.of("org.springframework.transaction.annotation.Transactional", "jakarta.transaction.Transactional");

    private TransactionalMethods() {}

    /** Whether the method or its class is annotated as transactional, be it by a meta-annotation or an interface. */
    public static boolean mayBeginAt(Method method, Class<?> type) {
        MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotations onType = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
        return ANNOTATIONS.stream().anyMatch(name -> onMethod.isPresent(name) || onType.isPresent(name));
    }
}
