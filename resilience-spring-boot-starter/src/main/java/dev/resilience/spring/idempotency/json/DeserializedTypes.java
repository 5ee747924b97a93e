package dev.resilience.spring.idempotency.json;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;

/**
 * Collects the properties of what is read, however deep, and the interfaces and abstract classes among them. Jackson
 * refuses a property that it cannot make only when a text has it, which would be too late.
 */
final class DeserializedTypes extends ValueDeserializerModifier {

    private final transient Set<JavaType> abstractParts = new LinkedHashSet<>();
    private final transient Set<Class<?>> withoutProperties = new LinkedHashSet<>();
    private final transient Map<Class<?>, Set<SettableBeanProperty>> properties = new LinkedHashMap<>();

    /** Classes of which nothing is read. */
    Set<Class<?>> withoutProperties() {
        return withoutProperties;
    }

    /** Types that nothing but a deserializer of their own could make. */
    Set<JavaType> abstractParts() {
        return abstractParts;
    }

    /** The properties that are read of each class. */
    Map<Class<?>, Set<SettableBeanProperty>> properties() {
        return properties;
    }

    @Override
    public ValueDeserializer<?> modifyDeserializer(
            DeserializationConfig config, BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
        if (deserializer instanceof BeanDeserializerBase byProperties) {
            Set<SettableBeanProperty> found = new LinkedHashSet<>();
            byProperties.properties().forEachRemaining(found::add);
            byProperties.creatorProperties().forEachRemaining(found::add);
            found.forEach(this::lookAt);
            properties.put(bean.getBeanClass(), found);
            if (found.isEmpty()
                    && bean.get().findAnySetterAccessor() == null
                    && !byProperties.getValueInstantiator().canCreateUsingDelegate()) {
                withoutProperties.add(bean.getBeanClass());
            }
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
            abstractParts.add(type);
        }
    }
}
