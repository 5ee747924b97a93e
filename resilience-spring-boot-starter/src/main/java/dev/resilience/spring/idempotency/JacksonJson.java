package dev.resilience.spring.idempotency;

import java.io.Closeable;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Collection;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.InputStreamSource;
import org.springframework.validation.Errors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * JSON by the application's own mapper, through generic types. Default typing is off whatever the application's mapper
 * has: a stored text never chooses the class that is made of it. Times keep their offsets and zones, and decimals their
 * scale, for a replayed result is to be equal to the first one; what is only written, such as a sum, is not read.
 * Arguments are compared by all that they have, passwords too.
 */
public final class JacksonJson implements Json {

    private static final List<Class<?>> CONTAINERS = List.of(Collection.class, Map.class, Optional.class);

    private static final Set<Class<?>> ANYTHING =
            Set.of(Object.class, Serializable.class, Comparable.class, Number.class, CharSequence.class);
    private static final List<Class<?>> NO_VALUES = List.of(Closeable.class, InputStreamSource.class, Errors.class);
    private static final List<Class<?>> READ_ONCE = List.of(Iterator.class, Enumeration.class, BaseStream.class);

    private final JsonMapper mapper;
    private final JsonMapper writesAll;
    private final CanonicalJson canonical;

    public JacksonJson(JsonMapper mapper) {
        this.mapper = mapper.rebuild()
                .deactivateDefaultTyping()
                .disable(
                        DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
                        DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS,
                        DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
        this.writesAll = WriteOnly.ignoredBy(this.mapper);
        this.canonical = new CanonicalJson(writesAll);
    }

    @Override
    public ArgumentCodec arguments(List<ResolvableType> parameters) {
        return canonical.arguments(parameters.stream().map(this::javaType).toList());
    }

    /** Written by the declared type too: Jackson would forget which class an element of a list is. */
    @Override
    public ResultCodec codec(ResolvableType type) {
        JavaType declared = javaType(type);
        return new Values(mapper.writerFor(declared), mapper.readerFor(declared));
    }

    @Override
    public @Nullable String whyNotReadable(ResolvableType type) {
        if (isAnything(type)) {
            return "nothing says which class it is";
        }
        if (type.isArray()) {
            return whyNotReadable(type.getComponentType());
        }
        for (ResolvableType element : elements(type)) {
            String why = isAnything(element) ? "nothing says which class its elements are" : whyNotReadable(element);
            if (why != null) {
                return why;
            }
        }
        return whyNotMade(javaType(type));
    }

    private static boolean isAnything(ResolvableType type) {
        Class<?> raw = type.resolve();
        return raw == null || ANYTHING.contains(raw);
    }

    private static ResolvableType[] elements(ResolvableType type) {
        for (Class<?> container : CONTAINERS) {
            if (container.isAssignableFrom(type.toClass())) {
                return type.as(container).getGenerics();
            }
        }
        return type.getGenerics();
    }

    /** By what the type resolves to: seen from a supertype, its own {@code getType()} may be a mere variable. */
    private JavaType javaType(ResolvableType type) {
        if (type.isArray()) {
            return mapper.getTypeFactory().constructArrayType(javaType(type.getComponentType()));
        }
        if (type.getType() instanceof Class<?> || !type.hasGenerics()) {
            return mapper.constructType(type.toClass());
        }
        JavaType[] generics =
                Arrays.stream(type.getGenerics()).map(this::javaType).toArray(JavaType[]::new);
        return mapper.getTypeFactory().constructParametricType(type.toClass(), generics);
    }

    private @Nullable String whyNotMade(JavaType type) {
        ReadParts read = new ReadParts();
        SimpleModule module = new SimpleModule().setDeserializerModifier(read);
        String why = whyNotMade(type, mapper.rebuild().addModule(module).build());
        for (JavaType part : read.abstractParts()) {
            why = why == null ? whyNotMade(part, mapper) : why;
        }
        return why == null ? whyOtherThanWritten(read, new WrittenParts(mapper, type)) : why;
    }

    private static @Nullable String whyOtherThanWritten(ReadParts read, WrittenParts written) {
        for (Map.Entry<Class<?>, Set<SettableBeanProperty>> found :
                read.properties().entrySet()) {
            Set<String> names = written.properties(found.getKey());
            for (SettableBeanProperty property : found.getValue()) {
                String name =
                        "'" + property.getName() + "' of " + found.getKey().getName();
                if (isAnything(property)) {
                    return "nothing says which class " + name + " is";
                }
                if (names != null && !names.contains(property.getName()) && !property.isInjectionOnly()) {
                    return name + " would be read, but is never written";
                }
            }
        }
        String lost = written.lost();
        return lost == null ? whyBlank(written) : lost + " would be written, but is never read";
    }

    private static boolean isAnything(SettableBeanProperty property) {
        return ANYTHING.contains(property.getType().getRawClass())
                && !property.hasValueTypeDeserializer()
                && !property.hasValueDeserializer();
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

    @Override
    public @Nullable String whyNotWritable(ResolvableType type) {
        WrittenParts parts = new WrittenParts(writesAll, javaType(type));
        for (JavaType part : parts.types()) {
            Class<?> raw = part.getRawClass();
            if (isAny(NO_VALUES, raw) || raw.getName().startsWith("jakarta.servlet.")) {
                return raw.getName() + " is not a value";
            }
            if (isAny(READ_ONCE, raw)) {
                return raw.getName() + " can be read only once, which would leave nothing for the method";
            }
        }
        return whyBlank(parts);
    }

    private static boolean isAny(List<Class<?>> supertypes, Class<?> type) {
        return supertypes.stream().anyMatch(supertype -> supertype.isAssignableFrom(type));
    }

    private static @Nullable String whyBlank(WrittenParts parts) {
        Class<?> blank = parts.blank();
        return blank == null
                ? null
                : blank.getName() + " has fields, but JSON shows none of them; give it getters, or make it a record";
    }

    private record Values(ObjectWriter writer, ObjectReader reader) implements ResultCodec {

        @Override
        public byte[] write(@Nullable Object result) {
            return writer.writeValueAsBytes(result);
        }

        @Override
        public @Nullable Object read(byte[] content) {
            return reader.readValue(content);
        }
    }
}
