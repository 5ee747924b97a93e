package dev.resilience.spring.kind;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;

/**
 * Kotlin's suspending functions as the JVM knows them: methods that return {@code Object}, whose last parameter is the
 * continuation. It is no argument of the call, and its type says what the function returns. Names no type of Kotlin's,
 * which need not be on the class path.
 */
public final class SuspendingFunctions {

    private static final String UNIT = "kotlin.Unit";

    private SuspendingFunctions() {}

    /** Whether a method is a suspending function. */
    public static boolean is(Method method) {
        return KotlinDetector.isSuspendingFunction(method);
    }

    /** The type that a method returns, as it is written; {@code void} for {@code Unit}. */
    public static ResolvableType returnType(Method method, Class<?> type) {
        if (!is(method)) {
            return ResolvableType.forMethodReturnType(method, type);
        }
        Type continuation = method.getGenericParameterTypes()[method.getParameterCount() - 1];
        Type result =
                continuation instanceof ParameterizedType typed ? typed.getActualTypeArguments()[0] : Object.class;
        if (result instanceof WildcardType wildcard && wildcard.getLowerBounds().length > 0) {
            result = wildcard.getLowerBounds()[0];
        }
        return result.getTypeName().equals(UNIT)
                ? ResolvableType.forClass(void.class)
                : ResolvableType.forType(result, ResolvableType.forClass(type).as(method.getDeclaringClass()));
    }

    /** How many parameters a method has, as it is written. */
    public static int parameterCount(Method method) {
        return is(method) ? method.getParameterCount() - 1 : method.getParameterCount();
    }

    /** The arguments of a call of a method, as it is written. */
    public static @Nullable Object[] arguments(Method method, @Nullable Object[] all) {
        return is(method) ? Arrays.copyOf(all, all.length - 1) : all;
    }
}
