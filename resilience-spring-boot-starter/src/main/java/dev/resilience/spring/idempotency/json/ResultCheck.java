package dev.resilience.spring.idempotency.json;

import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.io.Serializable;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.deser.CreatorProperty;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.introspect.AnnotatedField;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.PropertyWriter;

/**
 * Tells at startup why results of a type could not be read back. Asks the deserializers and serializers that results will
 * be read and written with, property by property, and remembers its answer for each type. Safe for use by many threads.
 */
final class ResultCheck {

    private static final Set<Class<?>> ANYTHING =
            Set.of(Object.class, Serializable.class, Comparable.class, Number.class, CharSequence.class);

    private final JsonMapper mapper;
    private final Map<JavaType, String> known = new ConcurrentHashMap<>(); // an empty text for a type that is fine

    ResultCheck(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** Why a type could not be read back, or {@code null} if it can. */
    @Nullable
    String whyNot(JavaType type) {
        if (isAnything(type)) {
            return "nothing says which class it is";
        }
        JavaType content = type.getContentType();
        if (content != null && isAnything(content)) {
            return "nothing says which class its elements are";
        }
        return whyNotPart(type);
    }

    private static boolean isAnything(JavaType type) {
        return ANYTHING.contains(type.getRawClass());
    }

    /** A part may be a container of anything, as the content of a JSON object is. */
    private @Nullable String whyNotPart(JavaType type) {
        String found = known.putIfAbsent(type, ""); // which is the answer where a type is met inside itself
        if (found == null) {
            found = find(type);
            known.put(type, found == null ? "" : found);
        }
        return found == null || found.isEmpty() ? null : found;
    }

    private @Nullable String find(JavaType type) {
        Class<?> raw = type.getRawClass();
        String why = NonValueTypes.why(raw);
        if (why == null && type.getContentType() != null) {
            why = whyNotPart(type.getContentType());
        }
        if (why != null || raw == Object.class) {
            return why;
        }
        try {
            mapper.readerFor(type).readValue("{}");
        } catch (InvalidDefinitionException unreadable) {
            String kind = raw.isInterface() ? " is an interface" : " is abstract";
            return type.isAbstract() ? raw.getName() + kind : unreadable.getOriginalMessage();
        } catch (JacksonException onlyThisText) {
            // the type is known, and an empty object is just not one of its values
        }
        DeserializationContext context = mapper._deserializationContext();
        boolean hasAnySetter = context.introspectBeanDescription(type).findAnySetterAccessor() != null;
        return context.findRootValueDeserializer(type) instanceof BeanDeserializerBase byProperties
                ? find(raw, byProperties, hasAnySetter)
                : null;
    }

    private @Nullable String find(Class<?> raw, BeanDeserializerBase deserializer, boolean hasAnySetter) {
        Set<String> written = new HashSet<>();
        boolean isUnwrapped = false;
        Iterator<PropertyWriter> writers =
                mapper._serializationContext().findValueSerializer(raw).properties();
        while (writers.hasNext()) {
            PropertyWriter property = writers.next();
            written.add(property.getName());
            isUnwrapped |= property.getAnnotation(JsonUnwrapped.class) != null; // and among the deserializer's no more
        }
        Iterator<SettableBeanProperty> properties = deserializer.properties();
        boolean isEmpty = !properties.hasNext()
                && !isUnwrapped
                && !hasAnySetter
                && (raw.isInterface() || !deserializer.getValueInstantiator().canCreateUsingDelegate());
        if (isEmpty && (raw.isInterface() || hasFields(raw))) {
            return raw.getName()
                    + " would come back without anything in it: Jackson finds neither setters nor a constructor"
                    + " for its properties " + written;
        }
        String why = null;
        while (properties.hasNext() && why == null) {
            why = find(properties.next(), raw, written);
        }
        return why;
    }

    private @Nullable String find(SettableBeanProperty property, Class<?> owner, Set<String> written) {
        String name = "'" + property.getName() + "' of " + owner.getName();
        if (isHeld(property) && !written.contains(property.getName())) {
            return name + " would be read, but is never written";
        }
        if (property.hasValueTypeDeserializer() || property.getAnnotation(JsonDeserialize.class) != null) {
            return null;
        }
        return isAnything(property.getType())
                ? "nothing says which class " + name + " is"
                : whyNotPart(property.getType());
    }

    /** A mere setter may be there for an old name, and a parent is known from where its child was found. */
    private static boolean isHeld(SettableBeanProperty property) {
        JsonProperty annotation = property.getAnnotation(JsonProperty.class);
        return (property instanceof CreatorProperty
                        || property.getMember() instanceof AnnotatedField
                        || (annotation != null && annotation.access() == JsonProperty.Access.WRITE_ONLY))
                && !property.isInjectionOnly()
                && property.getAnnotation(JsonBackReference.class) == null
                && property.getAnnotation(JsonUnwrapped.class) == null;
    }

    private static boolean hasFields(@Nullable Class<?> type) {
        return type != null
                && type != Object.class
                && (Arrays.stream(type.getDeclaredFields())
                                .anyMatch(field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
                        || hasFields(type.getSuperclass()));
    }
}
