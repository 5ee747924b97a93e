package dev.resilience.spring.idempotency;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;

/** Writes properties that the application takes but never shows: a card's number tells one payment from another. */
final class WriteOnly extends NopAnnotationIntrospector {

    private WriteOnly() {}

    static JsonMapper ignoredBy(JsonMapper mapper) {
        AnnotationIntrospector ofApplication = mapper.serializationConfig().getAnnotationIntrospector();
        return mapper.rebuild()
                .annotationIntrospector(AnnotationIntrospector.pair(new WriteOnly(), ofApplication))
                .build();
    }

    @Override
    public @Nullable Access findPropertyAccess(MapperConfig<?> config, Annotated member) {
        JsonProperty property = member.getAnnotation(JsonProperty.class);
        return property != null && property.access() == Access.WRITE_ONLY ? Access.READ_WRITE : null;
    }
}
