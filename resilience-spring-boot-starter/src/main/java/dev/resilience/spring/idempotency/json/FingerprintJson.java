package dev.resilience.spring.idempotency.json;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.resilience.spring.kind.CallKey;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedField;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.introspect.ObjectIdInfo;
import tools.jackson.databind.introspect.VisibilityChecker;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Values as JSON that is equal whenever they are: by their fields, sorted, so that what Jackson's annotations hide, mask or
 * round for clients counts. Objects of Spring and of the JDK are written by their getters, because their fields keep what was
 * worked out meanwhile. Safe for use by many threads.
 */
final class FingerprintJson {

    private static final int MAX_BYTES = 64 << 20;

    private final JsonMapper mapper;

    FingerprintJson(JsonMapper ofStore) {
        SimpleModule module = new SimpleModule()
                .addSerializer(new Unordered<>(Set.class))
                .addSerializer(new Unordered<>(PriorityQueue.class))
                .addSerializer(new Unordered<>(Map.class))
                .setSerializerModifier(new NonValues());
        this.mapper = ofStore.rebuild()
                .annotationIntrospector(
                        new Structure(ofStore.serializationConfig().getAnnotationIntrospector()))
                .changeDefaultPropertyInclusion(
                        any -> JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
                .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                .enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
                .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .addModule(module)
                .build();
    }

    /** @throws RuntimeException if there is something in the value that cannot be written */
    byte[] of(@Nullable Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] source, int from, int length) {
                if (count + length > MAX_BYTES) {
                    throw new IllegalStateException("it takes more than 64 MB to compare");
                }
                super.write(source, from, length);
            }
        };
        try {
            mapper.writeValue(bytes, value);
        } catch (StackOverflowError endless) {
            throw new IllegalStateException("it contains itself", endless);
        } catch (JacksonException failed) { // whose whole message shows keys of maps
            throw new IllegalStateException(failed.getOriginalMessage(), failed);
        }
        return bytes.toByteArray();
    }

    /** Why values of a declared type cannot be written, however deep that is declared; {@code null} if they can. */
    @Nullable
    String whyNot(JavaType type, Set<JavaType> known) {
        if (!known.add(type)) {
            return null;
        }
        String why = NonValueTypes.why(type.getRawClass());
        if (why == null && type.getKeyType() != null) {
            why = whyNot(type.getKeyType(), known);
        }
        if (why == null && type.getContentType() != null) {
            why = whyNot(type.getContentType(), known);
        }
        if (why != null || type.getContentType() != null) {
            return why;
        }
        try {
            Iterator<PropertyWriter> parts =
                    mapper._serializationContext().findValueSerializer(type).properties();
            while (parts.hasNext() && why == null) {
                PropertyWriter part = parts.next();
                why = whyNot(part.getType(), known);
                why = why == null ? null : why + ", in '" + part.getName() + "'";
            }
            return why;
        } catch (JacksonException unwritable) {
            return unwritable.getOriginalMessage();
        } catch (IllegalStateException noValue) {
            return noValue.getMessage();
        }
    }

    /** Fields, and of Jackson's annotations those alone that make a tree of objects that refer to each other. */
    private static final class Structure extends NopAnnotationIntrospector {

        private final transient AnnotationIntrospector ofApplication;

        Structure(AnnotationIntrospector ofApplication) {
            this.ofApplication = ofApplication;
        }

        @Override
        public VisibilityChecker findAutoDetectVisibility(
                MapperConfig<?> config, AnnotatedClass type, VisibilityChecker given) {
            return new Members();
        }

        @Override
        public @Nullable ReferenceProperty findReferenceType(MapperConfig<?> config, AnnotatedMember member) {
            return ofApplication.findReferenceType(config, member);
        }

        @Override
        public @Nullable ObjectIdInfo findObjectIdInfo(MapperConfig<?> config, Annotated type) {
            return ofApplication.findObjectIdInfo(config, type);
        }

        @Override
        public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated type) {
            return ofApplication.findPolymorphicTypeInfo(config, type);
        }

        @Override
        public @Nullable List<NamedType> findSubtypes(MapperConfig<?> config, Annotated type) {
            return ofApplication.findSubtypes(config, type);
        }

        @Override
        public @Nullable String findTypeName(MapperConfig<?> config, AnnotatedClass type) {
            return ofApplication.findTypeName(config, type);
        }
    }

    /** Proxies and lambdas have no fields of their own to tell. */
    private static final class Members extends VisibilityChecker {

        Members() {
            super(Visibility.ANY);
        }

        @Override
        public boolean isFieldVisible(AnnotatedField field) {
            return !isByGetters(field.getDeclaringClass());
        }

        @Override
        public boolean isGetterVisible(AnnotatedMethod getter) {
            return isByGetters(getter.getDeclaringClass())
                    && Modifier.isPublic(getter.getAnnotated().getModifiers());
        }

        @Override
        public boolean isIsGetterVisible(AnnotatedMethod getter) {
            return isGetterVisible(getter);
        }

        private static boolean isByGetters(Class<?> type) {
            return type.getName().startsWith("org.springframework.")
                    || CallKey.isOfJdk(type)
                    || type.isHidden()
                    || type.isInterface()
                    || Proxy.isProxyClass(type);
        }
    }

    /** Refuses objects that are no values, of which Jackson would write something or nothing. */
    private static final class NonValues extends ValueSerializerModifier {

        @Override
        public ValueSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
            boolean isByProperties =
                    serializer instanceof BeanSerializerBase || serializer instanceof UnknownSerializer;
            String why = whyNot(bean.getBeanClass(), isByProperties, serializer);
            if (why != null) {
                throw new IllegalStateException(why);
            }
            return serializer;
        }

        private static @Nullable String whyNot(Class<?> type, boolean isByProperties, ValueSerializer<?> serializer) {
            String why = NonValueTypes.why(type);
            if (why != null || !isByProperties || Modifier.isAbstract(type.getModifiers())) {
                return why;
            }
            if (type.isHidden() || Proxy.isProxyClass(type)) {
                return serializer.properties().hasNext() ? null : NonValueTypes.whyCode(type);
            }
            if (type.getName().contains("$$") || type.getName().contains("$HibernateProxy$")) {
                return type.getName() + " is a proxy, whose fields are not those of the object behind it";
            }
            return CallKey.isOfJdk(type) && !Throwable.class.isAssignableFrom(type) && type != Object.class
                    ? type.getName() + " is not a value"
                    : null;
        }
    }

    /** Writes elements or entries in the order of their JSON. */
    private final class Unordered<T> extends StdSerializer<T> {

        Unordered(Class<T> type) {
            super(type);
        }

        @Override
        public void serialize(T value, JsonGenerator generator, SerializationContext context) {
            List<String> texts = new ArrayList<>();
            if (value instanceof Map<?, ?> map) {
                map.forEach((key, each) -> texts.add(text(key) + ':' + text(each)));
            } else {
                ((Collection<?>) value).forEach(each -> texts.add(text(each)));
            }
            Collections.sort(texts);
            generator.writeStartArray();
            texts.forEach(generator::writeRawValue);
            generator.writeEndArray();
        }

        private String text(@Nullable Object element) {
            return mapper.writeValueAsString(element);
        }
    }
}
