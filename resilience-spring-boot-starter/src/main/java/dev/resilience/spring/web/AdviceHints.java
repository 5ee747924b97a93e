package dev.resilience.spring.web;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** In a native image too, the application's exception handlers can be found. */
final class AdviceHints implements RuntimeHintsRegistrar {

    private static final String REACTIVE = "org.springframework.web.reactive.result.method.annotation.";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        register(
                "org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver",
                AdviceCache.FIELD,
                hints,
                classLoader);
        register(REACTIVE + "RequestMappingHandlerAdapter", ReactiveAdvices.METHODS, hints, classLoader);
        register(REACTIVE + "ControllerMethodResolver", AdviceCache.FIELD, hints, classLoader);
    }

    private static void register(String type, String field, RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.reflection().registerTypeIfPresent(classLoader, type, present -> present.withField(field));
    }
}
