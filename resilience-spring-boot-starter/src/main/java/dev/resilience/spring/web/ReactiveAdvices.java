package dev.resilience.spring.web;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;

/** Lets the application's handlers for refusals win in Spring WebFlux, as {@link SelectiveHandlers} has it. */
public final class ReactiveAdvices implements BeanPostProcessor {

    static final String METHODS = "methodResolver";

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof RequestMappingHandlerAdapter adapter) {
            Object methods = AdviceCache.read(RequestMappingHandlerAdapter.class, METHODS, adapter);
            if (methods != null) {
                SelectiveHandlers.arrange(AdviceCache.of(methods.getClass(), methods));
            }
        }
        return bean;
    }
}
