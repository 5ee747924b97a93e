package dev.resilience.spring.fault;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks classes up by name, so that none of them needs to be there. */
final class ClassNames {

    private ClassNames() {}

    /** The value for the object's class, or for the closest class above it that has one; {@code null} for none. */
    static <V> @Nullable V closest(Map<String, V> values, Object object) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            V value = values.get(type.getName());
            if (value != null) {
                return value;
            }
        }
        return null;
    }
}
