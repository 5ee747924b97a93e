package dev.resilience.spring.idempotency;

import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;

/**
 * Collects the interfaces and abstract classes among the properties of what is read, however deep. Jackson refuses a
 * property that it cannot make only when a text has it, which would be too late.
 */
final class AbstractParts extends ValueDeserializerModifier {

    private final transient Set<JavaType> found = new LinkedHashSet<>();

    /** Types that nothing but a deserializer of their own could make. */
    Set<JavaType> found() {
        return found;
    }

    @Override
    public ValueDeserializer<?> modifyDeserializer(
            DeserializationConfig config, BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
        if (deserializer instanceof BeanDeserializerBase properties) {
            properties.properties().forEachRemaining(this::lookAt);
            properties.creatorProperties().forEachRemaining(this::lookAt);
        }
        return deserializer;
    }

    private void lookAt(SettableBeanProperty property) {
        if (!property.hasValueDeserializer()) {
            lookAt(property.getType());
        }
    }

    private void lookAt(JavaType type) {
        JavaType content = type.getContentType();
        if (content != null) {
            lookAt(content);
        } else if (type.isAbstract() && !type.isPrimitive() && type.getTypeHandler() == null) {
            found.add(type);
        }
    }
}
