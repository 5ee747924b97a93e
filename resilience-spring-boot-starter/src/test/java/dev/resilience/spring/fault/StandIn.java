package dev.resilience.spring.fault;

import java.util.LinkedHashMap;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.FixedValue;
import org.jspecify.annotations.Nullable;

/**
 * An exception of a class that is not on the class path, with the methods that are asked.
 *
 * @param name of its class
 * @param supertype the name of the class above that one; {@code null} if it does not matter
 * @param base what both extend
 * @param values what its methods return
 */
record StandIn(
        String name,
        @Nullable String supertype,
        Class<? extends Exception> base,
        Map<String, Object> values,
        @Nullable Throwable cause) {

    static StandIn of(String name) {
        return new StandIn(name, null, RuntimeException.class, Map.of(), null);
    }

    StandIn below(String supertype) {
        return new StandIn(name, supertype, base, values, cause);
    }

    StandIn on(Class<? extends Exception> base) {
        return new StandIn(name, supertype, base, values, cause);
    }

    StandIn with(String method, Object value) {
        Map<String, Object> all = new LinkedHashMap<>(values);
        all.put(method, value);
        return new StandIn(name, supertype, base, all, cause);
    }

    StandIn causedBy(Throwable cause) {
        return new StandIn(name, supertype, base, values, cause);
    }

    Exception made() {
        try {
            Class<? extends Exception> above = supertype == null ? base : load(subclass(base, supertype), base);
            DynamicType.Builder<? extends Exception> type = subclass(above, name);
            for (Map.Entry<String, Object> method : values.entrySet()) {
                Object value = method.getValue();
                Class<?> returned =
                        value instanceof Integer ? int.class : value instanceof Map ? Map.class : value.getClass();
                type = type.defineMethod(method.getKey(), returned, Visibility.PUBLIC)
                        .intercept(FixedValue.value(value));
            }
            Exception made = load(type, above).getConstructor().newInstance();
            if (cause != null) {
                made.initCause(cause);
            }
            return made;
        } catch (ReflectiveOperationException broken) {
            throw new IllegalStateException(broken);
        }
    }

    private static DynamicType.Builder<? extends Exception> subclass(Class<? extends Exception> above, String name) {
        return new ByteBuddy().subclass(above).name(name);
    }

    private static Class<? extends Exception> load(
            DynamicType.Builder<? extends Exception> type, Class<? extends Exception> above) {
        ClassLoader parent = above.getClassLoader();
        return type.make()
                .load(
                        parent == null ? StandIn.class.getClassLoader() : parent,
                        ClassLoadingStrategy.Default.CHILD_FIRST) // the class may be there after all
                .getLoaded();
    }
}
