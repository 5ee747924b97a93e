package dev.resilience.spring.idempotency.json;

import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.resilience.spring.idempotency.fingerprint.Fields;
import java.io.Serializable;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.deser.CreatorProperty;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Finds out at startup which results would not come back, or as something else than they were.
 *
 * @param mapper how results are written and read
 */
record ResultCheck(JsonMapper mapper) {

    private static final Set<Class<?>> ANYTHING =
            Set.of(Object.class, Serializable.class, Comparable.class, Number.class, CharSequence.class);

    /** Whether a type says nothing about which class a value is of. */
    static boolean isAnything(Class<?> type) {
        return ANYTHING.contains(type);
    }

    @Nullable
    String whyOtherThanItWas(JavaType type) {
        DeserializedTypes read = new DeserializedTypes();
        SimpleModule module = new SimpleModule().setDeserializerModifier(read);
        String why = whyNotMade(type, mapper.rebuild().addModule(module).build());
        for (JavaType part : read.abstractParts()) {
            why = why == null ? whyNotMade(part, mapper) : why;
        }
        return why == null ? whyOtherThanWritten(read, new SerializedTypes(mapper, type)) : why;
    }

    private static @Nullable String whyNotMade(JavaType type, JsonMapper mapper) {
        try {
            mapper.readerFor(type).readValue("{}");
            return null;
        } catch (InvalidDefinitionException unreadable) {
            Class<?> raw = type.getRawClass();
            if (raw.isInterface()) {
                return raw.getName() + " is an interface";
            }
            return type.isAbstract() ? raw.getName() + " is abstract" : unreadable.getOriginalMessage();
        } catch (JacksonException onlyThisText) {
            return null; // the type is known, and an empty object is just not one of its values
        }
    }

    private static @Nullable String whyOtherThanWritten(DeserializedTypes read, SerializedTypes written) {
        for (Map.Entry<Class<?>, Set<SettableBeanProperty>> found :
                read.properties().entrySet()) {
            Set<String> names = written.properties(found.getKey());
            for (SettableBeanProperty property : found.getValue()) {
                String name =
                        "'" + property.getName() + "' of " + found.getKey().getName();
                if (isAnything(property)) {
                    return "nothing says which class " + name + " is";
                }
                if (names != null && !names.contains(property.getName()) && isLost(property)) {
                    return name + " would be read, but is never written";
                }
            }
        }
        String lost = written.lost();
        if (lost != null) {
            return lost + " would be written, but is never read";
        }
        for (Class<?> empty : read.withoutProperties()) {
            Set<String> names = written.properties(empty);
            boolean hasState = Fields.areIn(empty) || Modifier.isAbstract(empty.getModifiers());
            if (names != null && !names.isEmpty() && hasState) {
                return empty.getName() + " would come back without anything in it: Jackson finds neither setters nor a "
                        + "constructor for " + names;
            }
        }
        return written.whyBlank();
    }

    /** A mere setter may be there for an old name, and a parent is known from where its child was found. */
    private static boolean isLost(SettableBeanProperty property) {
        return !property.isInjectionOnly()
                && property.getAnnotation(JsonBackReference.class) == null
                && property.getAnnotation(JsonUnwrapped.class) == null
                && (property instanceof CreatorProperty
                        || Fields.isBehind(property.getMember().getMember()));
    }

    private static boolean isAnything(SettableBeanProperty property) {
        return isAnything(property.getType().getRawClass())
                && !property.hasValueTypeDeserializer()
                && !property.hasValueDeserializer();
    }
}
