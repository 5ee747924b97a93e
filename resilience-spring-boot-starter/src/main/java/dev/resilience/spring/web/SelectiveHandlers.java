package dev.resilience.spring.web;

import dev.resilience.exception.ResilienceException;
import dev.resilience.log.LogLine;
import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.http.MediaType;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

/**
 * Keeps the application's catch-all exception handlers from answering refusals, in place of one of its advices. A refusal is
 * handled by a handler that names it, or names {@link ResilienceException}, or names an exception around it; not by one for
 * every {@link Exception}.
 *
 * <p>Spring takes the first advice that has any handler for an exception, so that no order of the library's advice
 * would do: before an application's catch-all it is also before a handler for one of the refusals. Spring MVC and WebFlux
 * keep the handlers of all advices in a field of the same name and open neither to change: WebFlux has no public hook between
 * a controller and its advices at all.
 */
public final class SelectiveHandlers extends ExceptionHandlerMethodResolver {

    static final String FIELD = "exceptionHandlerAdviceCache";

    private static final Logger log = LoggerFactory.getLogger(SelectiveHandlers.class);
    private static final LogLine NO_FIELD = LogLine.warn("exception_handlers_not_readable");

    private SelectiveHandlers(Class<?> advice) {
        super(advice);
    }

    /** Makes the application's advices selective, and puts the library's after them. */
    @SuppressWarnings("unchecked") // the types of Spring's field
    static void arrange(Class<?> type, @Nullable Object holder) {
        if (!(read(type, FIELD, holder) instanceof Map<?, ?> found)) {
            return;
        }
        Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> advices =
                (Map<ControllerAdviceBean, ExceptionHandlerMethodResolver>) found;
        Map<ControllerAdviceBean, ExceptionHandlerMethodResolver> all = new LinkedHashMap<>(advices);
        advices.clear();
        for (ControllerAdviceBean advice : all.keySet()) {
            Class<?> ofAdvice = advice.getBeanType();
            if (ofAdvice != null && ofAdvice != ResilienceExceptionHandler.class) {
                advices.put(advice, new SelectiveHandlers(ofAdvice));
            }
        }
        all.forEach(advices::putIfAbsent);
    }

    /** The value of a field; {@code null}, and a warning in the log, if this version of Spring has no such field. */
    private static @Nullable Object read(Class<?> type, String name, @Nullable Object holder) {
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

    @Override
    public @Nullable ExceptionHandlerMappingInfo resolveExceptionMapping(Throwable exception, MediaType mediaType) {
        ResilienceException refusal = ResilienceExceptionHandler.refusalIn(exception);
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

    /** Arranges the advices of Spring MVC. */
    public static final class OfServlet implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof ExceptionHandlerExceptionResolver) {
                arrange(ExceptionHandlerExceptionResolver.class, bean);
            } else if (bean instanceof HandlerExceptionResolverComposite composite) {
                composite
                        .getExceptionResolvers()
                        .forEach(resolver -> postProcessAfterInitialization(resolver, beanName));
            }
            return bean;
        }
    }

    /** Arranges the advices of Spring WebFlux. */
    public static final class OfWebFlux implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof RequestMappingHandlerAdapter adapter) {
                Object methods = read(RequestMappingHandlerAdapter.class, "methodResolver", adapter);
                if (methods != null) {
                    arrange(methods.getClass(), methods);
                }
            }
            return bean;
        }
    }
}
