package dev.resilience.spring.idempotency;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by a mapper that is made of the application's own, through generic types: a replayed result is to be equal to the
 * first one. What is only written, such as a sum, is not read.
 */
public final class JacksonJson implements Json {

    private static final List<Class<?>> CONTAINERS = List.of(Collection.class, Map.class, Optional.class);

    private final JsonMapper mapper;

    public JacksonJson(JsonMapper mapper) {
        this.mapper = StoreMapper.of(mapper);
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
        String whyNoValue = NoValues.why(type.toClass());
        if (whyNoValue != null) {
            return whyNoValue;
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
        return new ResultCheck(mapper).whyOtherThanItWas(javaType(type));
    }

    private static boolean isAnything(ResolvableType type) {
        Class<?> raw = type.resolve();
        return raw == null || ResultCheck.isAnything(raw);
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

    private record Values(ObjectWriter writer, ObjectReader reader) implements ResultCodec {

        @Override
        public byte[] write(@Nullable Object result) {
            try {
                return writer.writeValueAsBytes(result);
            } catch (StreamConstraintsException | StackOverflowError endless) {
                throw tooDeep(result);
            } catch (JacksonException failed) {
                throw failed.getCause() instanceof StreamConstraintsException ? tooDeep(result) : failed;
            }
        }

        private static IllegalStateException tooDeep(@Nullable Object result) {
            return new IllegalStateException("A result of the type "
                    + (result == null ? "null" : result.getClass().getName())
                    + " cannot be kept: it contains itself, or is nested too deep for JSON");
        }

        @Override
        public @Nullable Object read(byte[] content) {
            return reader.readValue(content);
        }
    }
}
