package dev.resilience.spring.web;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

/** Lets the application's handlers for refusals win in Spring MVC, as {@link SelectiveHandlers} has it. */
public final class ServletAdvices implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof ExceptionHandlerExceptionResolver resolver) {
            arrange(resolver);
        } else if (bean instanceof HandlerExceptionResolverComposite composite) {
            composite.getExceptionResolvers().stream()
                    .filter(ExceptionHandlerExceptionResolver.class::isInstance)
                    .forEach(ServletAdvices::arrange);
        }
        return bean;
    }

    private static void arrange(Object resolver) {
        SelectiveHandlers.arrange(AdviceCache.of(ExceptionHandlerExceptionResolver.class, resolver));
    }
}
