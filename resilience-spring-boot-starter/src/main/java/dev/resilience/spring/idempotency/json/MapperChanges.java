package dev.resilience.spring.idempotency.json;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.util.Objects;
import org.springframework.util.ReflectionUtils;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.cfg.SerializerFactoryConfig;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.introspect.VisibilityChecker;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.BeanSerializerFactory;
import tools.jackson.databind.ser.SerializerFactory;
import tools.jackson.databind.ser.Serializers;
import tools.jackson.databind.ser.ValueSerializerModifier;

/** What settings and modules of an application change about classes, whatever the declaration of a class tells. */
final class MapperChanges {

    private final JsonMapper mapper;
    private final SerializerFactoryConfig added;
    private final boolean concernAll;

    MapperChanges(JsonMapper mapper) {
        this.mapper = mapper;
        JsonMapper.Builder again = mapper.rebuild();
        boolean isUsual = again.serializerFactory() == BeanSerializerFactory.instance;
        AddedSerializers factory = new AddedSerializers(new SerializerFactoryConfig());
        again.serializerFactory(factory).build(); // which has the modules add what they have
        this.added = again.serializerFactory() instanceof AddedSerializers withAll ? withAll.all() : factory.all();
        SerializationConfig config = mapper.serializationConfig();
        this.concernAll = !isUsual
                || !mapper.isEnabled(MapperFeature.USE_ANNOTATIONS)
                || !config.getDefaultVisibilityChecker().equals(VisibilityChecker.defaultInstance())
                || !config.getAnnotationIntrospector().allIntrospectors().stream()
                        .allMatch(introspector -> introspector instanceof NopAnnotationIntrospector
                                || introspector.getClass() == JacksonAnnotationIntrospector.class)
                || changesProperties();
    }

    /** Spring Data's only warns. */
    private boolean changesProperties() {
        for (ValueSerializerModifier modifier : added.serializerModifiers()) {
            Class<?> type = modifier.getClass();
            if (!type.getName().startsWith("org.springframework.")
                    && Objects.requireNonNull(ReflectionUtils.findMethod(type, "changeProperties", (Class<?>[]) null))
                                    .getDeclaringClass()
                            != ValueSerializerModifier.class) {
                return true;
            }
        }
        return false;
    }

    boolean concern(JavaType type) {
        SerializationConfig config = mapper.serializationConfig();
        if (concernAll || config.findConfigOverride(type.getRawClass()) != null) {
            return true;
        }
        BeanDescription.Supplier bean = mapper._serializationContext().lazyIntrospectBeanDescription(type);
        for (Serializers serializers : added.serializers()) {
            if (serializers.findSerializer(config, type, bean, JsonFormat.Value.empty()) != null) {
                return true;
            }
        }
        return false;
    }

    /** Tells what modules have added. */
    private static final class AddedSerializers extends BeanSerializerFactory {

        AddedSerializers(SerializerFactoryConfig all) {
            super(all);
        }

        SerializerFactoryConfig all() {
            return _factoryConfig;
        }

        @Override
        public SerializerFactory withConfig(SerializerFactoryConfig all) {
            return new AddedSerializers(all);
        }
    }
}
