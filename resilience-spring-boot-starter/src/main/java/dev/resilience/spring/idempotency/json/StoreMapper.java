package dev.resilience.spring.idempotency.json;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.std.FromStringDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotationIntrospectorPair;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdScalarSerializer;
import tools.jackson.databind.util.StdDateFormat;

/**
 * Makes the mapper that the store is written and read with: the application's own, without what it leaves out, cuts or
 * wraps for its clients. A replayed result is to be equal to the first one, and two payloads that differ are to look so.
 * Default typing is off whatever the application's mapper has: a stored text never chooses the class that is made of it.
 */
final class StoreMapper {

    /** By name: the Jackson of Spring Boot 4.0 does not truncate, and does not have them. */
    private static final DateTimeFeature[] TRUNCATIONS = Arrays.stream(DateTimeFeature.values())
            .filter(feature -> feature.name().startsWith("TRUNCATE_TO_MSECS_"))
            .toArray(DateTimeFeature[]::new);

    private StoreMapper() {}

    /** The application's own mapper, without what it wraps its clients' values in once they are whole. */
    static JsonMapper ofClients(JsonMapper application) {
        return application
                .rebuild()
                .deactivateDefaultTyping()
                .disable(SerializationFeature.WRAP_ROOT_VALUE, SerializationFeature.WRITE_SINGLE_ELEM_ARRAYS_UNWRAPPED)
                .build();
    }

    static JsonMapper of(JsonMapper application) {
        return application
                .rebuild()
                .deactivateDefaultTyping()
                .annotationIntrospector(new LosslessIntrospector(
                        application.serializationConfig().getAnnotationIntrospector()))
                .changeDefaultPropertyInclusion(any -> LosslessIntrospector.ALWAYS)
                .addModule(losslessJdk())
                .defaultDateFormat(new StdDateFormat())
                .disable(
                        DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
                        DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS,
                        DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE,
                        DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .disable(TRUNCATIONS)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(
                        EnumFeature.READ_ENUMS_USING_TO_STRING,
                        EnumFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL,
                        EnumFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE,
                        EnumFeature.WRITE_ENUMS_TO_LOWERCASE,
                        EnumFeature.WRITE_ENUMS_USING_INDEX,
                        EnumFeature.WRITE_ENUMS_USING_TO_STRING)
                .disable(SerializationFeature.WRAP_ROOT_VALUE, SerializationFeature.WRITE_SINGLE_ELEM_ARRAYS_UNWRAPPED)
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .enable(SerializationFeature.WRITE_EMPTY_JSON_ARRAYS)
                .disable(
                        DeserializationFeature.ACCEPT_EMPTY_ARRAY_AS_NULL_OBJECT,
                        DeserializationFeature.ACCEPT_EMPTY_STRING_AS_NULL_OBJECT,
                        DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                        DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES,
                        DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                        DeserializationFeature.UNWRAP_ROOT_VALUE,
                        DeserializationFeature.UNWRAP_SINGLE_VALUE_ARRAYS,
                        DeserializationFeature.USE_BIG_INTEGER_FOR_INTS,
                        DeserializationFeature.USE_JAVA_ARRAY_FOR_JSON_ARRAY)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
    }

    /**
     * Reads the application's Jackson annotations, except those under which a stored value would lose something. Values that are
     * null, empty or a default are written. Patterns and numbers for times are ignored, because they cut off seconds and zones.
     * Enums are written by their names, because several constants may share another name or number, or get one anew with a
     * deployment.
     */
    private static final class LosslessIntrospector extends AnnotationIntrospectorPair {

        /** Not {@code Value.ALL_ALWAYS}: the Jackson of Spring Boot 4.0 does not have it. */
        static final JsonInclude.Value ALWAYS =
                JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS);

        LosslessIntrospector(AnnotationIntrospector ofApplication) {
            super(ofApplication, AnnotationIntrospector.nopInstance());
        }

        @Override
        public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated member) {
            return ALWAYS;
        }

        @Override
        public JsonFormat.@Nullable Value findFormat(MapperConfig<?> config, Annotated member) {
            JsonFormat.Value format = super.findFormat(config, member);
            if (format == null) {
                return null;
            }
            boolean isWhole =
                    !format.getShape().isNumeric() && !member.getRawType().isEnum();
            return format.withPattern("").withShape(isWhole ? format.getShape() : JsonFormat.Shape.ANY);
        }

        @Override
        public @Nullable Boolean hasAsValue(MapperConfig<?> config, Annotated member) {
            return isOfEnum(member) ? null : super.hasAsValue(config, member);
        }

        @Override
        public @Nullable Boolean hasAsKey(MapperConfig<?> config, Annotated member) {
            return isOfEnum(member) ? null : super.hasAsKey(config, member);
        }

        @Override
        public JsonCreator.@Nullable Mode findCreatorAnnotation(MapperConfig<?> config, Annotated member) {
            return isOfEnum(member) ? null : super.findCreatorAnnotation(config, member);
        }

        @Override
        public String[] findEnumValues(
                MapperConfig<?> config, AnnotatedClass type, Enum<?>[] constants, String[] names) {
            return names;
        }

        private static boolean isOfEnum(Annotated member) {
            return member instanceof AnnotatedMember declared
                    && declared.getDeclaringClass().isEnum();
        }
    }

    /** Classes of the JDK of which Jackson's own text has a part only: nanoseconds, flags and bits are kept. */
    private static SimpleModule losslessJdk() {
        SimpleModule module = new SimpleModule().addAbstractTypeMapping(Set.class, LinkedHashSet.class);
        addText(
                module,
                Timestamp.class,
                time -> time.toInstant().toString(),
                text -> Timestamp.from(Instant.parse(text)));
        addText(
                module,
                BitSet.class,
                bits -> '#' + HexFormat.of().formatHex(bits.toByteArray()),
                text -> BitSet.valueOf(HexFormat.of().parseHex(text, 1, text.length())));
        addText(module, Pattern.class, pattern -> pattern.flags() + "/" + pattern.pattern(), text -> {
            String[] parts = text.split("/", 2);
            return Pattern.compile(parts[1], Integer.parseInt(parts[0]));
        });
        return module;
    }

    private static <T> void addText(
            SimpleModule module, Class<T> type, Function<T, String> write, Function<String, T> read) {
        module.addSerializer(new StdScalarSerializer<>(type) {
            @Override
            public void serialize(T value, JsonGenerator generator, SerializationContext context) {
                generator.writeString(write.apply(value));
            }
        });
        module.addDeserializer(type, new FromStringDeserializer<>(type) {
            @Override
            protected T _deserialize(String text, DeserializationContext context) {
                return read.apply(text);
            }

            @Override
            protected boolean _shouldTrim() {
                return false;
            }
        });
    }
}
