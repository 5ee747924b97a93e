package dev.resilience.spring.idempotency.http;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** What Spring MVC asks of a result's type: the class of the result, and what the handler method declares. */
final class AnswerType extends MethodParameter {

    private final Class<?> type;
    private final ResolvableType declared;
    private final Class<?> actual;

    /**
     * @param type the class of the handler
     * @param declared what the method returns, inside a stage if it returns one
     */
    AnswerType(Method method, Class<?> type, ResolvableType declared, Object result) {
        super(method, -1);
        this.type = type;
        this.declared = declared;
        this.actual = result.getClass();
    }

    private AnswerType(AnswerType original) {
        super(original);
        this.type = original.type;
        this.declared = original.declared;
        this.actual = original.actual;
    }

    @Override
    public Class<?> getContainingClass() {
        return type;
    }

    @Override
    public Class<?> getParameterType() {
        return actual;
    }

    @Override
    public Type getGenericParameterType() {
        return declared.getType();
    }

    @Override
    public <A extends Annotation> @Nullable A getMethodAnnotation(Class<A> annotation) {
        Method method = getMethod();
        return method == null ? null : AnnotatedElementUtils.findMergedAnnotation(method, annotation);
    }

    @Override
    public <A extends Annotation> boolean hasMethodAnnotation(Class<A> annotation) {
        return getMethodAnnotation(annotation) != null;
    }

    @Override
    public AnswerType clone() {
        return new AnswerType(this);
    }
}
