package dev.resilience.spring.async;

import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.springframework.aop.interceptor.SimpleAsyncUncaughtExceptionHandler;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.scheduling.annotation.EnableAsync;

/** Where the advice of {@code @Async} stands. */
enum AsyncOrder {

    /** Outside this library's, as Spring has it. */
    OUTSIDE(Outside.class),
    /** On a proxy of its own, further in. */
    INSIDE(Inside.class),
    /** Further in on the same proxy. */
    INSIDE_ON_ONE_PROXY(InsideOnOneProxy.class);

    final Class<?> configuration;

    AsyncOrder(Class<?> configuration) {
        this.configuration = configuration;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Outside {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(order = Ordered.HIGHEST_PRECEDENCE)
    static class Inside {}

    @Configuration(proxyBeanMethods = false)
    static class InsideOnOneProxy {

        @Bean
        static AsyncAnnotationAdvisor asyncAdvisor() {
            AsyncAnnotationAdvisor advisor = new AsyncAnnotationAdvisor(
                    (Supplier<? extends Executor>) () -> null, SimpleAsyncUncaughtExceptionHandler::new);
            advisor.setOrder(Ordered.LOWEST_PRECEDENCE);
            return advisor;
        }
    }
}
