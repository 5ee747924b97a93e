package dev.resilience.spring.idempotency.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import dev.resilience.spring.idempotency.fingerprint.Fields;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;

/** Collects the types of all that is written of a type, however deep, and the properties of the classes among them. */
final class SerializedTypes extends ValueSerializerModifier {

    private final transient Set<JavaType> types = new LinkedHashSet<>();
    private final transient Map<Class<?>, Map<String, PropertyWriter>> properties = new LinkedHashMap<>();
    private final transient JsonMapper mapper;

    SerializedTypes(JsonMapper mapper, JavaType type) {
        this.mapper = mapper.rebuild()
                .enable(SerializationFeature.EAGER_SERIALIZER_FETCH)
                .addModule(new SimpleModule().setSerializerModifier(this))
                .build();
        lookAt(type);
    }

    Set<JavaType> types() {
        return types;
    }

    /** The names of the properties that are written of a class, or {@code null} if it is not written by properties. */
    @Nullable
    Set<String> properties(Class<?> type) {
        Map<String, PropertyWriter> found = properties.get(type);
        return found == null ? null : found.keySet();
    }

    /** A property with a field behind it that is, by its annotation, never read back. */
    @Nullable
    String lost() {
        for (Map.Entry<Class<?>, Map<String, PropertyWriter>> found : properties.entrySet()) {
            for (PropertyWriter property : found.getValue().values()) {
                JsonProperty annotation = property.getAnnotation(JsonProperty.class);
                boolean isRead = annotation == null || annotation.access() != Access.READ_ONLY;
                if (!isRead && Fields.isBehind(property.getMember().getMember())) {
                    return "'" + property.getName() + "' of " + found.getKey().getName();
                }
            }
        }
        return null;
    }

    /** Of a class whose objects all look alike, though they are not. */
    @Nullable
    String whyBlank() {
        for (Map.Entry<Class<?>, Map<String, PropertyWriter>> found : properties.entrySet()) {
            Class<?> type = found.getKey();
            if (found.getValue().isEmpty() && !Modifier.isAbstract(type.getModifiers()) && Fields.areIn(type)) {
                return whyBlank(type);
            }
        }
        return null;
    }

    static String whyBlank(Class<?> type) {
        return type.getName() + " has fields, but JSON shows none of them; give it getters, or make it a record";
    }

    /** Whether objects are written by their properties, be there any or not. */
    static boolean isByProperties(ValueSerializer<?> serializer) {
        return serializer instanceof BeanSerializerBase || serializer instanceof UnknownSerializer;
    }

    private void lookAt(JavaType type) {
        if (!types.add(type)) {
            return;
        }
        JavaType content = type.getContentType();
        if (content != null) {
            lookAt(content);
            return;
        }
        mapper.writerFor(type);
        for (PropertyWriter property :
                properties.getOrDefault(type.getRawClass(), Map.of()).values()) {
            if (!(property instanceof BeanPropertyWriter writer && writer.hasSerializer())) {
                lookAt(property.getType());
            }
        }
    }

    @Override
    public ValueSerializer<?> modifySerializer(
            SerializationConfig config, BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        if (isByProperties(serializer)) {
            Map<String, PropertyWriter> found = new LinkedHashMap<>();
            serializer.properties().forEachRemaining(property -> found.put(property.getName(), property));
            properties.put(bean.getBeanClass(), found);
        }
        return serializer;
    }
}
