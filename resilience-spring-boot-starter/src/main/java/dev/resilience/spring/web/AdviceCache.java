package dev.resilience.spring.web;

import dev.resilience.log.LogLine;
import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * Reads where Spring keeps the exception handlers of all advices. Spring MVC and WebFlux keep them under the same name
 * and open neither to change: WebFlux has no public hook between a controller and its advices at all.
 */
final class AdviceCache {

    static final String FIELD = "exceptionHandlerAdviceCache";

    private static final Logger log = LoggerFactory.getLogger(AdviceCache.class);
    private static final LogLine NO_FIELD = LogLine.warn("exception_handlers_not_readable");

    private AdviceCache() {}

    /** The handlers by advice, to be changed; empty, and changes are without effect, where Spring keeps none there. */
    @SuppressWarnings("unchecked") // the types of Spring's field
    static Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> of(Class<?> type, @Nullable Object holder) {
        return read(type, FIELD, holder) instanceof Map<?, ?> found
                ? (Map<ControllerAdviceBean, ExceptionHandlerMethodResolver>) found
                : new LinkedHashMap<>();
    }

    /** The value of a field; {@code null}, and a warning in the log, if this version of Spring has no such field. */
    static @Nullable Object read(Class<?> type, String name, @Nullable Object holder) {
        Field field = ReflectionUtils.findField(type, name);
        if (field == null || holder == null) {
            NO_FIELD.in(log)
                    .log(
                            "{} of this version of Spring has no field '{}': where the application handles exceptions "
                                    + "itself, the order of its advices decides, and this library's has order 0",
                            type.getName(),
                            name);
            return null;
        }
        ReflectionUtils.makeAccessible(field);
        return ReflectionUtils.getField(field, holder);
    }
}
