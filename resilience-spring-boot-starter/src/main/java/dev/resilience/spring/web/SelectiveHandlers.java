package dev.resilience.spring.web;

import dev.resilience.exception.ResilienceException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * The exception handlers of one of the application's advices. A refusal is handled by one that names it, or names
 * {@link ResilienceException}, or names an exception around it; not by one for every {@link Exception}.
 *
 * <p>Spring takes the first advice that has any handler for an exception, so that no order of the library's advice
 * would do: before an application's catch-all it is also before a handler for one of the refusals.
 */
final class SelectiveHandlers extends ExceptionHandlerMethodResolver {

    private SelectiveHandlers(Class<?> advice) {
        super(advice);
    }

    /** Makes the application's advices selective, and puts the library's after them. */
    static void arrange(Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> advices) {
        Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> arranged = new LinkedHashMap<>();
        Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> last = new LinkedHashMap<>();
        advices.forEach((advice, handlers) -> {
            Class<?> type = advice.getBeanType();
            if (type == null || type == ResilienceExceptionHandler.class) {
                last.put(advice, handlers);
            } else {
                arranged.put(advice, new SelectiveHandlers(type));
            }
        });
        advices.clear();
        advices.putAll(arranged);
        advices.putAll(last);
    }

    @Override
    public @Nullable ExceptionHandlerMappingInfo resolveExceptionMapping(Throwable exception, MediaType mediaType) {
        ResilienceException refusal = LeavingRefusal.in(exception);
        if (refusal == null) {
            return super.resolveExceptionMapping(exception, mediaType);
        }
        for (Throwable at = exception; at != null; at = at == refusal ? null : at.getCause()) {
            ExceptionHandlerMappingInfo handler = resolveExceptionMappingByExceptionType(at.getClass(), mediaType);
            if (handler != null && names(handler, at)) {
                return handler;
            }
        }
        return null;
    }

    private static boolean names(ExceptionHandlerMappingInfo handler, Throwable exception) {
        return handler.getExceptionTypes().stream()
                .anyMatch(type -> type.isInstance(exception) && !type.isAssignableFrom(RuntimeException.class));
    }
}
