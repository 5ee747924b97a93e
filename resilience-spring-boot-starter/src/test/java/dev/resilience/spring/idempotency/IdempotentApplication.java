package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceJdbcAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceRedisAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceTransactionAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ApplicationContext;

/** Applications with idempotent methods, without a web server. */
final class IdempotentApplication {

    private IdempotentApplication() {}

    static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withPropertyValues("resilience.idempotency-store.type=memory")
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class, JacksonAutoConfiguration.class, ResilienceAutoConfiguration.class));
    }

    /** As {@link #runner}, with Spring MVC and whatever store there is. */
    static WebApplicationContextRunner web() {
        return new WebApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DispatcherServletAutoConfiguration.class,
                        HttpMessageConvertersAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        ResilienceAutoConfiguration.class,
                        ResilienceJdbcAutoConfiguration.class,
                        ResilienceTransactionAutoConfiguration.class,
                        ResilienceRedisAutoConfiguration.class,
                        ResilienceWebAutoConfiguration.class,
                        ValidationAutoConfiguration.class,
                        WebMvcAutoConfiguration.class));
    }

    /** Runs something with a bean whose idempotent methods are at work. */
    static <B> void with(Class<B> type, ContextConsumer<B> consumer) {
        with(runner(), type, consumer);
    }

    static <B> void with(ApplicationContextRunner runner, Class<B> type, ContextConsumer<B> consumer) {
        runner.withBean(type).run(context -> {
            assertThat(context).hasNotFailed();
            consumer.accept(((ApplicationContext) context).getBean(type));
        });
    }

    /** What may be thrown while a bean is in use. */
    interface ContextConsumer<B> {

        void accept(B bean) throws Throwable;
    }
}
