package dev.resilience.spring.idempotency;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
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
        SimpleModule sets = new SimpleModule().addSerializer(new SortedElements());
        this.mapper = mapper.rebuild().addModule(sets).build();
    }

    byte[] write(@Nullable Object[] values) {
        return Arrays.stream(values).allMatch(CanonicalJson::hasNoParts)
                ? mapper.writeValueAsBytes(values)
                : SORTING.writeValueAsBytes(mapper.<JsonNode>valueToTree(values));
    }

    /** Whether there is nothing to be sorted: then the tree, which costs more than all the rest, is not needed. */
    private static boolean hasNoParts(@Nullable Object value) {
        return value == null
                || value instanceof String
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Boolean;
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
