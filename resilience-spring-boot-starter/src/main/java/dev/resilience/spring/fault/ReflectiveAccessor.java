package dev.resilience.spring.fault;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A public method of a library that is not on the compile class path, called by name. The method is looked up once for
 * each class that it is called on. Safe for use by many threads.
 */
public final class ReflectiveAccessor {

    private final String name;
    private final String[] arguments;
    private final ClassValue<@Nullable Method> methods = new ClassValue<>() {
        @Override
        protected @Nullable Method computeValue(Class<?> type) {
            return find(type);
        }
    };

    /** @param arguments strings to call the method with */
    public ReflectiveAccessor(String name, String... arguments) {
        this.name = name;
        this.arguments = arguments;
    }

    /**
     * What the method returns; {@code null} if there is no such method, or no target.
     *
     * @throws RuntimeException what the method throws, a checked exception as the cause of another one
     */
    public @Nullable Object of(@Nullable Object target) {
        return of(target, arguments);
    }

    /** The same with other arguments, of which the method gets as many as it takes. */
    @Nullable
    Object of(@Nullable Object target, String... others) {
        Method method = target == null ? null : methods.get(target.getClass());
        Object[] taken = Arrays.copyOf(others, arguments.length);
        return method == null ? null : ReflectionUtils.invokeMethod(method, target, taken);
    }

    /** The class of the object may be hidden, but then one above it or an interface makes the method public. */
    private @Nullable Method find(Class<?> type) {
        Class<?>[] parameters = new Class<?>[arguments.length];
        Arrays.fill(parameters, String.class);
        Method found = ClassUtils.getMethodIfAvailable(type, name, parameters);
        if (found == null || Modifier.isStatic(found.getModifiers())) {
            return null;
        }
        Method accessible = ClassUtils.getPubliclyAccessibleMethodIfPossible(found, type);
        return accessible.trySetAccessible() ? accessible : null;
    }
}
