package dev.resilience.spring;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;

/**
 * A public method of a library that is not on the compile class path, called by name. The method is looked up once for
 * each class that it is called on. Safe for use by many threads.
 */
public final class ReflectiveAccessor {

    private final String name;
    private final Object[] arguments;
    private final ClassValue<@Nullable MethodHandle> handles = new ClassValue<>() {
        @Override
        protected @Nullable MethodHandle computeValue(Class<?> type) {
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
     * @throws RuntimeException what the method throws; a checked exception as the cause of an {@link IllegalStateException}
     */
    public @Nullable Object of(@Nullable Object target) {
        MethodHandle handle = target == null ? null : handles.get(target.getClass());
        if (handle == null) {
            return null;
        }
        try {
            return (Object) handle.invokeExact(target);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable checked) {
            throw new IllegalStateException(checked);
        }
    }

    /** The class of the object may be hidden, but then one above it or an interface makes the method public. */
    private @Nullable MethodHandle find(Class<?> type) {
        for (Class<?> ancestor = type; ancestor != null; ancestor = ancestor.getSuperclass()) {
            MethodHandle handle = declaredBy(ancestor);
            if (handle != null) {
                return handle;
            }
            for (Class<?> contract : ancestor.getInterfaces()) {
                handle = find(contract);
                if (handle != null) {
                    return handle;
                }
            }
        }
        return null;
    }

    private @Nullable MethodHandle declaredBy(Class<?> type) {
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(name) && fits(method)) {
                try {
                    MethodHandle handle = MethodHandles.publicLookup().unreflect(method);
                    return MethodHandles.insertArguments(handle, 1, arguments)
                            .asType(MethodType.methodType(Object.class, Object.class));
                } catch (IllegalAccessException hidden) {
                    return null;
                }
            }
        }
        return null;
    }

    private boolean fits(Method method) {
        if (Modifier.isStatic(method.getModifiers()) || method.getParameterCount() != arguments.length) {
            return false;
        }
        for (Class<?> parameter : method.getParameterTypes()) {
            if (parameter != String.class) {
                return false;
            }
        }
        return true;
    }
}
