package dev.resilience.spring.idempotency.fingerprint;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * What the declared types of arguments tell at startup: which classes their parts are of, however deep, and whether one
 * could not be compared. Behind an interface or {@code Object} there may be others, which each call looks at.
 */
final class ArgumentTypes {

    /** For classes that nest ever larger types in themselves. */
    private static final int DEEPEST = 30;

    private final Set<Class<?>> classes = new LinkedHashSet<>();
    private final Set<String> known = new HashSet<>();
    private @Nullable String whyNot;

    private ArgumentTypes() {}

    /** Looks at the type of an argument. */
    static ArgumentTypes of(ResolvableType type) {
        ArgumentTypes types = new ArgumentTypes();
        types.lookAt(type, "", 0);
        return types;
    }

    /** The classes of all parts that were looked at. */
    Set<Class<?>> classes() {
        return classes;
    }

    /** Why objects could not be compared, or {@code null} if they can, as far as the types tell. */
    @Nullable
    String whyNotComparable() {
        return whyNot;
    }

    private void lookAt(ResolvableType type, String place, int depth) {
        Class<?> raw = type.resolve(Object.class);
        if (whyNot != null
                || ClassUtils.isPrimitiveOrWrapper(raw)
                || raw == String.class
                || raw.isEnum()
                || depth > DEEPEST
                || !known.add(type.toString())) {
            return;
        }
        if (raw.isArray()) {
            lookAt(type.getComponentType(), place, depth + 1);
            return;
        }
        classes.add(raw);
        String why = Modifier.isAbstract(raw.getModifiers())
                ? NoValues.why(raw)
                : Shape.of(raw).whyNot();
        if (why != null) {
            whyNot = place.isEmpty() ? why : why + ", in '" + place + "'";
            return;
        }
        for (ResolvableType element : elements(type, raw)) {
            lookAt(element, place, depth + 1);
        }
        for (Property property : Shape.of(raw).fields()) {
            if (property.declared() instanceof Field field) {
                String inner = place.isEmpty() ? property.name() : place + '.' + property.name();
                lookAt(ResolvableType.forField(field, type), inner, depth + 1);
            }
        }
        if (raw.isSealed()) {
            for (Class<?> permitted : raw.getPermittedSubclasses()) {
                lookAt(ResolvableType.forClass(permitted), place, depth + 1);
            }
        }
    }

    private static ResolvableType[] elements(ResolvableType type, Class<?> raw) {
        if (Collection.class.isAssignableFrom(raw)) {
            return type.as(Collection.class).getGenerics();
        }
        if (Map.class.isAssignableFrom(raw)) {
            return type.as(Map.class).getGenerics();
        }
        return JdkValues.isOne(raw) && raw != Class.class ? type.getGenerics() : new ResolvableType[0];
    }
}
