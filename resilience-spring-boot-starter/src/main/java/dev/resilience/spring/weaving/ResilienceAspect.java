package dev.resilience.spring.weaving;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Hedge;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.RateLimit;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Stands around annotated methods where AspectJ has woven it into their classes, with {@code
 * resilience.advice-mode: aspectj}. Calls within an object, private and final methods, and objects that are no beans are
 * protected then too. Does nothing while no application context asks for it.
 *
 * <p>AspectJ makes one for each class loader, so that of two application contexts in one class loader the one that was
 * started last protects the methods, until it is closed. Stands outside other woven aspects, as of transactions.
 * AspectJ finds it by {@code META-INF/aop.xml}; an application does not use this class. Safe for use by many threads.
 */
@Aspect
@DeclarePrecedence("dev.resilience.spring.weaving.ResilienceAspect, *")
public final class ResilienceAspect {

    private static final String KINDS = "@("
            + "dev.resilience.annotation.Retryable || dev.resilience.annotation.CircuitBreaker"
            + " || dev.resilience.annotation.Bulkhead || dev.resilience.annotation.RateLimit"
            + " || dev.resilience.annotation.TimeLimit || dev.resilience.annotation.Hedge"
            + " || dev.resilience.annotation.Fallback || dev.resilience.annotation.Idempotent)";

    /** The same, as classes: those of the library's own kinds. */
    public static final List<Class<? extends Annotation>> ANNOTATIONS = List.of(
            Fallback.class,
            Idempotent.class,
            RateLimit.class,
            Bulkhead.class,
            CircuitBreaker.class,
            Retryable.class,
            Hedge.class,
            TimeLimit.class);

    private static final ResilienceAspect INSTANCE = new ResilienceAspect();

    private static final List<MethodInterceptor> ALL = new ArrayList<>();
    private static volatile @Nullable MethodInterceptor advice;

    private ResilienceAspect() {}

    /** For AspectJ, which asks each woven class's aspect by this name. */
    public static ResilienceAspect aspectOf() {
        return INSTANCE;
    }

    /** For AspectJ. */
    public static boolean hasAspect() {
        return true;
    }

    /** From now on the calls of woven methods are this advice's. */
    public static synchronized void begin(MethodInterceptor newAdvice) {
        ALL.add(newAdvice);
        advice = newAdvice;
    }

    /** The calls of woven methods are those of the advice that was there before, or go on unprotected. */
    public static synchronized void end(MethodInterceptor oldAdvice) {
        ALL.remove(oldAdvice);
        advice = ALL.isEmpty() ? null : ALL.get(ALL.size() - 1);
    }

    /** Whether {@link #around} is for the calls of a method, which AspectJ may have woven or not. */
    public static boolean isFor(Method method) {
        int modifiers = method.getModifiers();
        return !Modifier.isStatic(modifiers)
                && ANNOTATIONS.stream()
                        .anyMatch(annotation -> method.isAnnotationPresent(annotation)
                                || (!Modifier.isPrivate(modifiers) && isOnTypeOf(method, annotation)));
    }

    /** The type that declares the method, or an interface of it that does so as well: AspectJ matches either. */
    private static boolean isOnTypeOf(Method method, Class<? extends Annotation> annotation) {
        Class<?> type = method.getDeclaringClass();
        return type.isAnnotationPresent(annotation)
                || ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                        .anyMatch(each -> each.isAnnotationPresent(annotation)
                                && ClassUtils.hasMethod(each, method.getName(), method.getParameterTypes()));
    }

    /** A call of a woven method. */
    @Around("execution(" + KINDS + " !static * *(..)) || execution(!private !static * (" + KINDS + " *).*(..))")
    public @Nullable Object around(ProceedingJoinPoint call) throws Throwable {
        MethodInterceptor now = advice;
        return now == null ? call.proceed() : now.invoke(new WovenInvocation(call));
    }
}
