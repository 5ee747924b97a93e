package dev.resilience.spring.idempotency;

import java.io.Closeable;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.InputStreamSource;
import org.springframework.validation.Errors;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/** Finds out at startup which arguments could not be compared by their JSON. */
final class ArgumentCheck {

    private static final List<Class<?>> NO_VALUES = List.of(Closeable.class, InputStreamSource.class, Errors.class);
    private static final List<Class<?>> READ_ONCE = List.of(Iterator.class, Enumeration.class, BaseStream.class);

    private final JsonMapper mapper;

    /**
     * @param mapper how arguments are written
     */
    ArgumentCheck(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Nullable
    String whyNotComparable(JavaType type) {
        WrittenParts parts = new WrittenParts(mapper, type);
        for (JavaType part : parts.types()) {
            Class<?> raw = part.getRawClass();
            if (isAny(NO_VALUES, raw) || raw.getName().startsWith("jakarta.servlet.")) {
                return raw.getName() + " is not a value";
            }
            if (isCode(raw)) {
                return whyCode(raw);
            }
            if (isAny(READ_ONCE, raw)) {
                return raw.getName() + " can be read only once, which would leave nothing for the method";
            }
        }
        return parts.whyBlank();
    }

    static String whyCode(Class<?> type) {
        return type.getName() + " is code, which JSON does not show";
    }

    private static boolean isAny(List<Class<?>> supertypes, Class<?> type) {
        return supertypes.stream().anyMatch(supertype -> supertype.isAssignableFrom(type));
    }

    /** The application's own functional interfaces may well be implemented by records. */
    private static boolean isCode(Class<?> type) {
        return type.isAnnotationPresent(FunctionalInterface.class)
                && type.getName().startsWith("java.");
    }
}
