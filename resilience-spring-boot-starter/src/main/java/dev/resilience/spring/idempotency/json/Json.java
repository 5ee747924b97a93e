package dev.resilience.spring.idempotency.json;

import com.fasterxml.jackson.annotation.JsonView;
import dev.resilience.pipeline.Invocation;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.function.SingletonSupplier;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.StringNode;

/**
 * JSON by a mapper that is made of the application's own, through generic types: a replayed result is to be equal to the
 * first one. What is only written, such as a sum, is not read. The first value of each class is read back at
 * once, and refused if it is another one then.
 */
public final class Json {

    private final SingletonSupplier<JsonMapper> mapper;
    private final SingletonSupplier<JsonMapper> ofClients;
    private final SingletonSupplier<ResultCheck> check;
    private final SingletonSupplier<FingerprintJson> fingerprints;

    /** @param mapper is asked when the first idempotent method needs it, because making a mapper takes long */
    public Json(Supplier<JsonMapper> mapper) {
        this.mapper = SingletonSupplier.of(() -> StoreMapper.of(mapper.get()));
        this.ofClients = SingletonSupplier.of(() -> StoreMapper.ofClients(mapper.get()));
        this.check = SingletonSupplier.of(() -> new ResultCheck(this.mapper.obtain()));
        this.fingerprints = SingletonSupplier.of(() -> new FingerprintJson(this.mapper.obtain()));
    }

    /**
     * How results of a type are written and read back. They are written by the declared type too: Jackson would forget which
     * class an element of a list is.
     */
    public ResultCodec codec(ResolvableType type) {
        return values(javaType(type));
    }

    /**
     * How bodies of any type are written as clients see them, and read back as maps, lists, numbers and truths.
     *
     * @param handler the method that returns them
     */
    public ResultCodec plainCodec(Method handler) {
        JsonView view = AnnotatedElementUtils.findMergedAnnotation(handler, JsonView.class);
        ObjectWriter writer =
                view == null ? ofClients.obtain().writer() : ofClients.obtain().writerWithView(view.value()[0]);
        ObjectReader reader = mapper.obtain().readerFor(Object.class);
        return new ResultCodec() {

            @Override
            public byte[] write(@Nullable Object result) {
                return writer.writeValueAsBytes(result);
            }

            @Override
            public @Nullable Object read(byte[] content) {
                Object plain = reader.readValue(content);
                return plain instanceof String text ? StringNode.valueOf(text) : plain; // sent with its quotes
            }
        };
    }

    /** How the values of several types become one JSON array and an {@code Object[]} again. */
    public ResultCodec arrayCodec(List<ResolvableType> types) {
        return new ArrayCodec(
                mapper.obtain(),
                types.stream().map(type -> values(javaType(type))).toList());
    }

    private Values values(JavaType type) {
        return new Values(
                type, mapper.obtain().writerFor(type), mapper.obtain().readerFor(type), ConcurrentHashMap.newKeySet());
    }

    /** A value as bytes that are equal whenever two values are, as far as their fields tell. */
    public byte[] comparable(@Nullable Object value) {
        return fingerprints.obtain().of(value);
    }

    /** Why values of a declared type are not {@linkplain #comparable comparable}, or {@code null} if they may be. */
    public @Nullable String whyNotComparable(ResolvableType type) {
        return fingerprints.obtain().whyNot(javaType(type), new HashSet<>());
    }

    /** Why results of a type could not be read back, or {@code null} if they can. */
    public @Nullable String whyNotReadable(ResolvableType type) {
        return check.obtain().whyNot(javaType(type));
    }

    /** By what the type resolves to: seen from a supertype, its own {@code getType()} may be a mere variable. */
    private JavaType javaType(ResolvableType type) {
        if (type.isArray()) {
            return mapper.obtain().getTypeFactory().constructArrayType(javaType(type.getComponentType()));
        }
        if (type.getType() instanceof Class<?> || !type.hasGenerics()) {
            return mapper.obtain().constructType(type.resolve(Object.class));
        }
        JavaType[] generics =
                Arrays.stream(type.getGenerics()).map(this::javaType).toArray(JavaType[]::new);
        return mapper.obtain().getTypeFactory().constructParametricType(type.resolve(Object.class), generics);
    }

    /** How the results of one method become bytes and results again. */
    public interface ResultCodec {

        /** Whether a result is kept, or its key free again for the next try. */
        default boolean keeps(@Nullable Object result) {
            return true;
        }

        /** A call begins, on its caller's thread: how its result is written and read. */
        default ResultCodec ofCall(Invocation call) {
            return this;
        }

        /** Asked before an earlier call's result is given. */
        default void onReplay() {}

        byte[] write(@Nullable Object result);

        @Nullable
        Object read(byte[] content);
    }

    /** Each element by its own type. */
    private record ArrayCodec(JsonMapper mapper, List<Values> elements) implements ResultCodec {

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
            JsonNode array = mapper.readTree(content);
            if (!array.isArray() || array.size() != elements.size()) {
                throw new IllegalStateException("This is no JSON array of " + elements.size() + " values");
            }
            @Nullable Object[] values = new Object[elements.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = elements.get(i).reader.readValue(array.get(i)); // null may be an empty Optional
            }
            return values;
        }

        private byte[] write(Values element, @Nullable Object value) {
            try {
                refuseSubclass(element.type, value);
                return element.write(value);
            } catch (JacksonException failed) { // whose message may show the value
                throw new IllegalStateException(
                        "An argument of the type " + element.type.toCanonical() + " cannot be written as JSON ("
                                + failed.getClass().getName() + ")",
                        failed);
            }
        }

        /** A value of a subclass is written as the class that is declared. Looks into containers, and no further. */
        private void refuseSubclass(JavaType declared, @Nullable Object value) {
            JavaType content = declared.getContentType();
            if (value instanceof Optional<?> optional && content != null) {
                optional.ifPresent(each -> refuseSubclass(content, each));
            } else if (value instanceof Map<?, ?> map && content != null) {
                map.values().forEach(each -> refuseSubclass(content, each));
            } else if (value instanceof Iterable<?> all && content != null) {
                all.forEach(each -> refuseSubclass(content, each));
            } else if (value instanceof Object[] all && content != null) {
                Arrays.asList(all).forEach(each -> refuseSubclass(content, each));
            } else if (value != null && isLess(declared, value)) {
                throw new IllegalStateException("It is a " + value.getClass().getName() + ", and would come back as a "
                        + declared.getRawClass().getName()
                        + " without what the subclass adds. Let that class say by @JsonTypeInfo which subclass it is");
            }
        }

        private boolean isLess(JavaType declared, Object value) {
            return value.getClass() != declared.getRawClass()
                    && !declared.isPrimitive()
                    && !declared.isAbstract()
                    && !Arrays.equals(
                            mapper.writerFor(declared).writeValueAsBytes(value),
                            mapper.writerFor(value.getClass()).writeValueAsBytes(value));
        }
    }

    /** @param proven the classes whose objects have come back as they were */
    private record Values(JavaType type, ObjectWriter writer, ObjectReader reader, Set<Class<?>> proven)
            implements ResultCodec {

        @Override
        public byte[] write(@Nullable Object result) {
            try {
                byte[] content = writer.writeValueAsBytes(result);
                if (result != null && !proven.contains(result.getClass())) {
                    prove(result, content);
                }
                return content;
            } catch (StreamConstraintsException | StackOverflowError endless) {
                throw tooDeep(result);
            } catch (JacksonException failed) {
                throw failed.getCause() instanceof StreamConstraintsException ? tooDeep(result) : failed;
            }
        }

        /** What is lost shows in the bytes, in whatever order a set or a map has them. An empty container proves nothing. */
        private void prove(Object result, byte[] content) {
            byte[] again;
            try {
                again = writer.writeValueAsBytes(read(content));
            } catch (JacksonException unreadable) {
                throw lossy(result, unreadable);
            }
            if (!isSame(content, again) && isSame(content, writer.writeValueAsBytes(result))) { // asks no clock
                throw lossy(result, null);
            }
            if (content.length > "[]".length()) {
                proven.add(result.getClass());
            }
        }

        private static IllegalStateException lossy(Object result, @Nullable Throwable cause) {
            return new IllegalStateException(
                    "A result of the type " + result.getClass().getName()
                            + " cannot be kept: read back from JSON it would be another one. Let Jackson read all that it "
                            + "writes of it, or name another class by @Idempotent(resultType = ...)",
                    cause);
        }

        private boolean isSame(byte[] one, byte[] other) {
            return Arrays.equals(one, other) || Arrays.equals(sorted(one), sorted(other));
        }

        /** Numbers as decimals: the text of a double may be another one. */
        private int[] sorted(byte[] content) {
            return reader.readTree(content).toString().chars().sorted().toArray();
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
