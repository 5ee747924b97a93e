package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.Callee;
import dev.resilience.spring.PolicyCustomizer;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.actuate.ResilienceEndpoint;
import dev.resilience.spring.autoconfigure.ResilienceActuatorAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.Compiled;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.stereotype.Component;

/** An application whose context is made of code that was generated at build time, run on the JVM. */
class AheadOfTimeTests {

    @Test
    @CompileWithForkedClassLoader
    void theGeneratedContextProtectsCountsAndShowsLikeTheOriginal() {
        TestGenerationContext generated = new TestGenerationContext();
        AnnotationConfigApplicationContext original = new AnnotationConfigApplicationContext();
        configure(original);
        original.register(Application.class);
        new ApplicationContextAotGenerator().processAheadOfTime(original, generated);
        generated.writeGeneratedContent();

        TestCompiler.forSystem().with(generated).compile((ThrowingConsumer<Compiled>) compiled -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                configure(context);
                initializer(compiled.getInstance(ApplicationContextInitializer.class))
                        .initialize(context);
                context.refresh();
                use(context);
            }
        });
    }

    private static void use(GenericApplicationContext context) throws ConnectException {
        Shop shop = context.getBean(Shop.class);
        Callee callee = context.getBean(Callee.class);
        assertThat(callee.attemptsOf(() -> shop.sell("tea"))).isEqualTo(2);
        assertThat(shop.order("key")).isEqualTo("answer 3");
        assertThat(shop.order("key")).isEqualTo("answer 3");
        callee.failNext(1);
        assertThat(shop.look()).isEqualTo("nothing to see");
        callee.failNext(1);
        assertThat(shop.lookElsewhere()).isEqualTo("a lamp");
        assertThat(context.getBean(SimpleMeterRegistry.class)
                        .get("resilience.retry.attempts")
                        .tag("name", "quick")
                        .functionCounter()
                        .count())
                .isEqualTo(1);
        assertThat(context.getBean(ResilienceEndpoint.class).policy("retry", "quick", null))
                .isNotNull();
        assertThat(callee.attemptsOf(shop::order)).isEqualTo(4);
        assertThat(callee.attemptsOf(shop::count)).isEqualTo(5);
        assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
    }

    @SuppressWarnings("unchecked")
    private static ApplicationContextInitializer<GenericApplicationContext> initializer(
            ApplicationContextInitializer<?> generated) {
        return (ApplicationContextInitializer<GenericApplicationContext>) generated;
    }

    private static void configure(GenericApplicationContext context) {
        TestPropertyValues.of(
                        "resilience.retry.quick.max-attempts=2",
                        "resilience.retry.quick.backoff.base-delay=0",
                        "resilience.time-limit.worker.thread=worker",
                        "resilience.idempotency-store.type=memory",
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoints.jmx.exposure.include=*")
                .applyTo(context);
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Retryable("quick")
        @TimeLimit("worker")
        public String sell(String what) throws ConnectException {
            return callee.call();
        }

        @Idempotent(key = "#key")
        public String order(String key) throws ConnectException {
            return callee.call();
        }

        @Retryable(maxAttempts = 3, delay = "0", retryOn = IOException.class)
        public String order() throws ConnectException {
            return callee.call();
        }

        @Retryable("counting")
        public String count() throws ConnectException {
            return callee.call();
        }

        @Fallback("darkness")
        public String look() throws ConnectException {
            return callee.call();
        }

        String darkness() {
            return "nothing to see";
        }

        @Fallback("neighbour::lamp")
        public String lookElsewhere() throws ConnectException {
            return callee.call();
        }
    }

    @Component("neighbour")
    static class Neighbour {

        String lamp() {
            return "a lamp";
        }
    }

    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        EndpointAutoConfiguration.class,
        ResilienceAutoConfiguration.class,
        ResilienceActuatorAutoConfiguration.class,
        ResilienceMetricsAutoConfiguration.class
    })
    @Import({Shop.class, Neighbour.class, Callee.class, SimpleMeterRegistry.class})
    static class Application {

        @Bean
        RetryPolicy counting() {
            return RetryPolicy.builder().maxAttempts(4).backoff(atOnce()).build();
        }

        /** One attempt more than bean or annotation say. */
        @Bean
        PolicyCustomizer<RetryPolicy> oneMore() {
            return (name, policy) -> name.equals("quick")
                    ? policy
                    : RetryPolicy.builder()
                            .maxAttempts(policy.maxAttempts() + 1)
                            .backoff(atOnce())
                            .build();
        }

        private static Backoff atOnce() {
            Backoff byDefault = Backoff.DEFAULT;
            return new Backoff(
                    byDefault.strategy(),
                    Duration.ZERO,
                    byDefault.multiplier(),
                    byDefault.maxDelay(),
                    byDefault.jitter(),
                    byDefault.jitterFactor());
        }
    }
}
