package dev.resilience.spring.kind;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** How methods are called in messages, metrics and the actuator. */
public final class MethodNames {

    private MethodNames() {}

    /** {@code OrderService.place}. */
    public static String brief(Method method, Class<?> type) {
        return simple(type) + "." + method.getName();
    }

    /** {@code OrderService}. */
    public static String simple(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        String simpleName = userClass.getSimpleName();
        return simpleName.isEmpty() ? StringUtils.unqualify(userClass.getName()) : simpleName; // it may be anonymous
    }

    /** {@code OrderService.place(Order)}. */
    public static String readable(Method method, Class<?> type) {
        return brief(method, type) + parameters(method, Class::getSimpleName);
    }

    /** {@code com.example.OrderService.place(com.example.Order)}. */
    public static String full(Method method, Class<?> type) {
        return ClassUtils.getUserClass(type).getName() + "." + method.getName()
                + parameters(method, Class::getTypeName);
    }

    private static String parameters(Method method, Function<Class<?>, String> name) {
        return Arrays.stream(method.getParameterTypes())
                .limit(SuspendingFunctions.parameterCount(method))
                .map(name)
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
