package dev.resilience.spring.idempotency.json;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds values of a subclass, which are written and come back as the class that is declared, without what the subclass adds.
 * Looks into containers, and no further.
 */
record Subclasses(JsonMapper mapper) {

    /**
     * Makes sure that a value is written as what it is.
     *
     * @throws IllegalStateException if it is not
     */
    void refuse(JavaType declared, @Nullable Object value) {
        JavaType content = declared.getContentType();
        if (value instanceof Optional<?> optional && content != null) {
            optional.ifPresent(each -> refuse(content, each));
        } else if (value instanceof Map<?, ?> map && content != null) {
            map.values().forEach(each -> refuse(content, each));
        } else if (value instanceof Iterable<?> all && content != null) {
            all.forEach(each -> refuse(content, each));
        } else if (value instanceof Object[] all && content != null) {
            Arrays.asList(all).forEach(each -> refuse(content, each));
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
