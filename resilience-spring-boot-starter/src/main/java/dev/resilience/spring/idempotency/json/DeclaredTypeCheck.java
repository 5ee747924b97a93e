package dev.resilience.spring.idempotency.json;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.io.Serializable;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedField;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.ClassUtil;

/**
 * Tells at startup why values of a declared type cannot be kept or compared, however deep that is declared, and remembers its
 * answer for each type. Jackson takes about a millisecond to make what reads and writes a class. So that is left to the first
 * call where the declaration tells enough: records, and beans whose fields are public or have a getter and a setter, are fine
 * if all their parts are and neither an annotation nor the application's mapper
 * changes them. Safe for use by many threads.
 */
abstract class DeclaredTypeCheck {

    private static final Set<Class<?>> SCALARS =
            Set.of(Object.class, String.class, BigDecimal.class, BigInteger.class, UUID.class, URI.class);
    private static final Set<Class<?>> CONTAINERS =
            Set.of(Collection.class, List.class, Set.class, Map.class, Optional.class);
    private static final Set<Class<?>> NEUTRAL_SUPERTYPES = Set.of(Record.class, Serializable.class, Comparable.class);
    private static final Set<Class<?>> NEUTRAL_ANNOTATIONS =
            Set.of(JsonFormat.class, JsonInclude.class, JsonPropertyOrder.class);

    final JsonMapper mapper;
    private final Set<Class<?>> unclear;
    private final Predicate<JavaType> isChanged;
    private final Map<JavaType, String> known = new ConcurrentHashMap<>(); // an empty text for a type that is fine

    /**
     * @param unclear as which no property may be declared, though what is in a container may be
     * @param isChanged whether the mapper treats a type in another way than its declaration tells
     */
    DeclaredTypeCheck(JsonMapper mapper, Set<Class<?>> unclear, Predicate<JavaType> isChanged) {
        this.mapper = mapper;
        this.unclear = unclear;
        this.isChanged = isChanged;
    }

    /** Why not, or {@code null} if the type, and all that is declared inside it, is fine. */
    @Nullable
    String whyNot(JavaType type) {
        String found = known.putIfAbsent(type, ""); // which is the answer where a type is met inside itself
        if (found == null) {
            found = find(type);
            known.put(type, found == null ? "" : found);
        }
        return found == null || found.isEmpty() ? null : found;
    }

    private @Nullable String find(JavaType type) {
        String why = NonValueTypes.why(type.getRawClass());
        if (why == null && type.getKeyType() != null) {
            why = whyNot(type.getKeyType());
        }
        if (why == null && type.getContentType() != null) {
            why = whyNot(type.getContentType());
        }
        return why != null || isFine(type) ? why : whyNotForJackson(type);
    }

    /** As {@link #whyNot}, of a type that is no container of something that is not fine. */
    abstract @Nullable String whyNotForJackson(JavaType type);

    final boolean isUnclear(JavaType type) {
        return unclear.contains(type.getRawClass());
    }

    private boolean isFine(JavaType type) {
        Class<?> raw = type.getRawClass();
        if (isScalar(raw)) {
            return true;
        }
        if (type.isArrayType() || CONTAINERS.contains(raw)) {
            return type.getKeyType() == null || isScalar(type.getKeyType().getRawClass());
        }
        List<Class<?>> supertypes = ClassUtil.findRawSuperTypes(raw, Object.class, true);
        if (Modifier.isAbstract(raw.getModifiers())
                || isChanged.test(type)
                || !supertypes.stream().allMatch(this::isNeutral)) {
            return false;
        }
        AnnotatedClass declared = mapper._serializationContext().introspectClassAnnotations(type);
        List<AnnotatedField> fields = new ArrayList<>();
        declared.fields().forEach(fields::add);
        boolean isReadBack = raw.isRecord()
                || (declared.getDefaultConstructor() != null
                        && fields.stream().allMatch(field -> isReadAndWritten(declared, field)));
        return isReadBack
                && !fields.isEmpty()
                && fields.stream()
                                .map(DeclaredTypeCheck::unifiedName)
                                .distinct()
                                .count()
                        == fields.size()
                && (raw.isRecord() || !hasOtherSetters(declared, fields))
                && fields.stream().noneMatch(field -> isUnclear(field.getType()) || whyNot(field.getType()) != null);
    }

    private static boolean isScalar(Class<?> type) {
        return ClassUtils.isPrimitiveOrWrapper(type)
                || type.isEnum()
                || SCALARS.contains(type)
                || (type.getPackageName().equals("java.time") && Modifier.isFinal(type.getModifiers()));
    }

    /** Whether nothing but the declarations in a class tells how Jackson reads and writes them. */
    private boolean isNeutral(Class<?> type) {
        Executable[][] executables = {type.getDeclaredMethods(), type.getDeclaredConstructors()};
        Stream<AnnotatedElement[]> members =
                Stream.concat(Stream.of(new Class<?>[] {type}, type.getDeclaredFields()), Arrays.stream(executables));
        return NEUTRAL_SUPERTYPES.contains(type)
                || (!NonValueTypes.isOfJdk(type)
                        && !JacksonSerializable.class.isAssignableFrom(type)
                        && mapper.serializationConfig().findMixInClassFor(type) == null
                        && members.flatMap(Arrays::stream)
                                .flatMap(member -> Arrays.stream(member.getDeclaredAnnotations()))
                                .allMatch(DeclaredTypeCheck::isNeutral)
                        && Arrays.stream(executables)
                                .flatMap(Arrays::stream)
                                .flatMap(executable -> Arrays.stream(executable.getParameterAnnotations()))
                                .flatMap(Arrays::stream)
                                .allMatch(DeclaredTypeCheck::isNeutral));
    }

    private static boolean isNeutral(Annotation annotation) {
        Class<?> type = annotation.annotationType();
        return annotation instanceof JsonProperty property
                ? property.access() == JsonProperty.Access.AUTO
                : NEUTRAL_ANNOTATIONS.contains(type)
                        || !(type.getName().contains(".jackson.")
                                || type.getName().startsWith("java.beans.")
                                || type.isAnnotationPresent(JacksonAnnotationsInside.class));
    }

    /** Two fields may get one name by the application's naming strategy, or by an annotation. */
    private static String unifiedName(AnnotatedField field) {
        JsonProperty renamed = field.getAnnotation(JsonProperty.class);
        String name = renamed == null || renamed.value().isEmpty() ? field.getName() : renamed.value();
        return StringUtils.deleteAny(name, "_-. ").toLowerCase(Locale.ROOT);
    }

    /** Of which Jackson would read a property that no field tells about, or for which it would see two setters. */
    private static boolean hasOtherSetters(AnnotatedClass type, List<AnnotatedField> fields) {
        for (AnnotatedMethod method : type.memberMethods()) {
            if (method.getName().startsWith("set")
                    && method.getParameterCount() == 1
                    && fields.stream().noneMatch(field -> isSetter(method, field))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSetter(AnnotatedMethod method, AnnotatedField field) {
        return method.getName().equals("set" + StringUtils.capitalize(field.getName()))
                && method.getRawParameterType(0) == field.getRawType();
    }

    private static boolean isReadAndWritten(AnnotatedClass type, AnnotatedField field) {
        String name = StringUtils.capitalize(field.getName());
        AnnotatedMethod getter =
                type.findMethod((field.getRawType() == boolean.class ? "is" : "get") + name, new Class<?>[0]);
        boolean hasAccessors = getter != null
                && getter.isPublic()
                && getter.getType().equals(field.getType())
                && type.findMethod("set" + name, new Class<?>[] {field.getRawType()}) != null;
        return hasAccessors
                || (field.isPublic() && !Modifier.isFinal(field.getAnnotated().getModifiers()));
    }
}
