package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Applications with idempotent methods, without a web server. */
final class IdempotentApplication {

    private IdempotentApplication() {}

    static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withPropertyValues("resilience.idempotency-store.type=memory")
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class, JacksonAutoConfiguration.class, ResilienceAutoConfiguration.class));
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
