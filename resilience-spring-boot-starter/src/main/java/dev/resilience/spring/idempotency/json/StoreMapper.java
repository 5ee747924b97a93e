package dev.resilience.spring.idempotency.json;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
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

    static JsonMapper of(JsonMapper application) {
        return application
                .rebuild()
                .deactivateDefaultTyping()
                .annotationIntrospector(new LosslessIntrospector(
                        application.serializationConfig().getAnnotationIntrospector()))
                .changeDefaultPropertyInclusion(any -> LosslessIntrospector.ALWAYS)
                .addModule(LosslessJdkModule.module().addAbstractTypeMapping(Set.class, LinkedHashSet.class))
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
}
