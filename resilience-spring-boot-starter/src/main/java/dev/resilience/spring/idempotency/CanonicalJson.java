package dev.resilience.spring.idempotency;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * JSON that is the same whenever the values are equal: what has no order of its own, maps and sets, is sorted by its
 * text.
 */
final class CanonicalJson {

    private static final JsonMapper SORTING =
            JsonMapper.builder().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();

    private final JsonMapper mapper;

    /**
     * @param mapper how the application writes values
     */
    CanonicalJson(JsonMapper mapper) {
        SimpleModule module =
                new SimpleModule().addSerializer(new SortedElements()).setSerializerModifier(new ClassNames());
        this.mapper = mapper.rebuild()
                .addModule(module)
                .addModule(new SimpleModule().setSerializerModifier(new BlankArguments()))
                .build();
    }

    ArgumentCodec arguments(List<JavaType> declared) {
        List<Argument> arguments =
                declared.stream().map(type -> new Argument(mapper, type)).toList();
        return values -> {
            byte[] plain = PlainArguments.write(values);
            return plain == null ? SORTING.writeValueAsBytes(tree(arguments, values)) : plain;
        };
    }

    private static ArrayNode tree(List<Argument> arguments, @Nullable Object[] values) {
        ArrayNode tree = SORTING.createArrayNode();
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            tree.add(value == null ? tree.nullNode() : arguments.get(i).tree(value));
        }
        return tree;
    }

    /** Writes by the declared type, which knows more of the elements, and by the class, which knows more properties. */
    private record Argument(JsonMapper mapper, JavaType declared, ConcurrentMap<Class<?>, JavaType> types) {

        Argument(JsonMapper mapper, JavaType declared) {
            this(mapper, declared, new ConcurrentHashMap<>());
        }

        JsonNode tree(Object value) {
            return mapper.valueToTree(new Typed(value, types.computeIfAbsent(value.getClass(), this::type)));
        }

        private JavaType type(Class<?> type) {
            return declared.isPrimitive() || declared.isArrayType()
                    ? declared
                    : mapper.getTypeFactory().constructSpecializedType(declared, type, true);
        }
    }

    /** A writer for a type would write elements by nothing but what they are declared as. */
    private record Typed(Object value, JavaType type) implements JacksonSerializable {

        @Override
        public void serialize(JsonGenerator generator, SerializationContext context) {
            context.findTypedValueSerializer(type, true).serialize(value, generator, context);
        }

        @Override
        public void serializeWithType(
                JsonGenerator generator, SerializationContext context, TypeSerializer typeSerializer) {
            serialize(generator, context);
        }
    }

    private static final class SortedElements extends StdSerializer<Set<?>> {

        SortedElements() {
            super(Set.class);
        }

        @Override
        public void serialize(Set<?> set, JsonGenerator generator, SerializationContext context) {
            generator.writeStartArray();
            set.stream()
                    .map(element -> context.<JsonNode>valueToTree(element))
                    .sorted(Comparator.comparing(SORTING::writeValueAsString))
                    .forEach(element -> context.writeTree(generator, element));
            generator.writeEndArray();
        }
    }
}
