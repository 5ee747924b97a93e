package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

class AdviceHintsTests {

    @Test
    void aNativeImageCanReadWhereSpringKeepsItsHandlers() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        new AdviceHints().registerHints(hints, getClass().getClassLoader());

        Class<?> methods = ClassUtils.forName(
                RequestMappingHandlerAdapter.class.getPackageName() + ".ControllerMethodResolver", null);
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(methods.getDeclaredField(AdviceCache.FIELD)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onFieldAccess(RequestMappingHandlerAdapter.class.getDeclaredField(ReactiveAdvices.METHODS)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onFieldAccess(ExceptionHandlerExceptionResolver.class.getDeclaredField(AdviceCache.FIELD)))
                .accepts(hints);
    }
}
