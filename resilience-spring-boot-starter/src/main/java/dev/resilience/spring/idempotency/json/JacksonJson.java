package dev.resilience.spring.idempotency.json;

import dev.resilience.spring.idempotency.fingerprint.NoValues;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.function.SingletonSupplier;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.DeserializationFeature;
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

    private final SingletonSupplier<JsonMapper> mapper;

    public JacksonJson(JsonMapper mapper) {
        this(() -> mapper);
    }

    /** @param mapper is asked when the first idempotent method needs it, because making a mapper takes long */
    public JacksonJson(Supplier<JsonMapper> mapper) {
        this.mapper = SingletonSupplier.of(() -> StoreMapper.of(mapper.get()));
    }

    /** Written by the declared type too: Jackson would forget which class an element of a list is. */
    @Override
    public ResultCodec codec(ResolvableType type) {
        JavaType declared = javaType(type);
        return new Values(mapper.obtain().writerFor(declared), mapper.obtain().readerFor(declared));
    }

    @Override
    public ResultCodec arrayCodec(List<ResolvableType> types) {
        List<Element> elements = types.stream()
                .map(this::javaType)
                .map(type -> new Element(
                        type,
                        new Values(
                                mapper.obtain().writerFor(type),
                                mapper.obtain()
                                        .readerFor(type)
                                        .without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS))))
                .toList();
        return new ArrayCodec(mapper.obtain(), elements);
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
        return new ResultCheck(mapper.obtain()).whyOtherThanItWas(javaType(type));
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
            return mapper.obtain().getTypeFactory().constructArrayType(javaType(type.getComponentType()));
        }
        if (type.getType() instanceof Class<?> || !type.hasGenerics()) {
            return mapper.obtain().constructType(type.toClass());
        }
        JavaType[] generics =
                Arrays.stream(type.getGenerics()).map(this::javaType).toArray(JavaType[]::new);
        return mapper.obtain().getTypeFactory().constructParametricType(type.toClass(), generics);
    }

    /** Each element by its own type. */
    private record ArrayCodec(JsonMapper mapper, List<Element> elements) implements ResultCodec {

        @Override
        public byte[] write(@Nullable Object array) {
            @Nullable Object[] values = (Object[]) Objects.requireNonNull(array);
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            written.write('[');
            for (int i = 0; i < elements.size(); i++) {
                if (i > 0) {
                    written.write(',');
                }
                written.writeBytes(write(elements.get(i), values[i]));
            }
            written.write(']');
            return written.toByteArray();
        }

        @Override
        public Object read(byte[] content) {
            @Nullable Object[] values = new Object[elements.size()];
            try (JsonParser parser = mapper.createParser(content)) {
                require(parser.nextToken() == JsonToken.START_ARRAY);
                for (int i = 0; i < values.length; i++) {
                    JsonToken token = parser.nextToken();
                    require(token != null && token != JsonToken.END_ARRAY);
                    values[i] = elements.get(i).values.reader.readValue(parser); // null may be an empty Optional
                }
                require(parser.nextToken() == JsonToken.END_ARRAY);
            }
            return values;
        }

        private byte[] write(Element element, @Nullable Object value) {
            try {
                new Subclasses(mapper).refuse(element.type, value);
                return element.values.write(value);
            } catch (JacksonException failed) { // whose message may show the value
                throw new IllegalStateException(
                        "An argument of the type " + element.type.toCanonical() + " cannot be written as JSON ("
                                + failed.getClass().getName() + ")",
                        failed);
            }
        }

        private void require(boolean fulfilled) {
            if (!fulfilled) {
                throw new IllegalStateException("This is no JSON array of " + elements.size() + " values");
            }
        }
    }

    private record Element(JavaType type, Values values) {}

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
