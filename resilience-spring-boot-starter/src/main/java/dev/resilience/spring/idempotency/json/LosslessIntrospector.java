package dev.resilience.spring.idempotency.json;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotationIntrospectorPair;

/**
 * Reads the application's Jackson annotations, except those under which a stored value would lose something. Values that are
 * null, empty or a default are written. Patterns and numbers for times are ignored, because they cut off seconds and zones.
 * Enums are written by their names, because several constants may share another name or number, or get one anew with a
 * deployment.
 */
final class LosslessIntrospector extends AnnotationIntrospectorPair {

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
        boolean isWhole = !format.getShape().isNumeric() && !member.getRawType().isEnum();
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
    public String[] findEnumValues(MapperConfig<?> config, AnnotatedClass type, Enum<?>[] constants, String[] names) {
        return names;
    }

    private static boolean isOfEnum(Annotated member) {
        return member instanceof AnnotatedMember declared
                && declared.getDeclaringClass().isEnum();
    }
}
