package dev.resilience.spring.idempotency;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotationIntrospectorPair;

/**
 * Reads the application's annotations, but for those that leave out what is null, empty or a default, and for patterns,
 * which cut seconds and zones off.
 */
final class WholeValues extends AnnotationIntrospectorPair {

    /** Not {@code Value.ALL_ALWAYS}: the Jackson of Spring Boot 4.0 does not have it. */
    static final JsonInclude.Value ALWAYS =
            JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS);

    WholeValues(AnnotationIntrospector ofApplication) {
        super(ofApplication, AnnotationIntrospector.nopInstance());
    }

    @Override
    public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated member) {
        return ALWAYS;
    }

    @Override
    public JsonFormat.@Nullable Value findFormat(MapperConfig<?> config, Annotated member) {
        JsonFormat.Value format = super.findFormat(config, member);
        return format == null ? null : format.withPattern("");
    }
}
