package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.idempotency.CallerScope;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.actuate.ResilienceEndpoint;
import dev.resilience.spring.actuate.ResilienceHealthIndicator;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.web.CallContextServletFilter;
import dev.resilience.spring.web.CallContextWebFilter;
import dev.resilience.spring.web.ResilienceExceptionHandler;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.context.ContextRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.ConnectException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/** Every integration switches itself on by what is there, and its absence switches off nothing else. */
class OptionalPartsTests {

    private static final SortedOnce ALL = SortedOnce.of(
            AopAutoConfiguration.class,
            JacksonAutoConfiguration.class,
            ResilienceAutoConfiguration.class,
            ResilienceActuatorAutoConfiguration.class,
            ResilienceMetricsAutoConfiguration.class,
            ResilienceRedisAutoConfiguration.class,
            ResilienceWebAutoConfiguration.class);

    private static final String DEADLINE = "resilience.deadline.header=X-Time-Left";

    private final ReactiveWebApplicationContextRunner reactive =
            new ReactiveWebApplicationContextRunner().withConfiguration(ALL);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(ALL)
            .withBean(ManualTimeSource.class)
            .withBean(Payments.class);

    private static void assertWorks(AssertableApplicationContext context) throws Exception {
        assertThat(context).hasNotFailed();
        Payments payments = context.getBean(Payments.class);
        payments.pay();
        assertThat(payments.calls()).hasValue(2);
    }

    private ApplicationContextRunner without(Class<?>... classes) {
        return runner.withClassLoader(new FilteredClassLoader(classes));
    }

    @Test
    void withoutAnythingButTheStarterItself() {
        without(
                        ControllerAdvice.class,
                        RestClientResponseException.class,
                        WebClientResponseException.class,
                        Endpoint.class,
                        ConditionalOnAvailableEndpoint.class,
                        HealthIndicator.class,
                        MeterRegistry.class,
                        Mono.class,
                        JsonMapper.class,
                        SecurityContextHolder.class,
                        RedisConnectionFactory.class)
                .run(context -> {
                    assertWorks(context);
                    assertThat(context)
                            .doesNotHaveBean(ResilienceEndpoint.class)
                            .doesNotHaveBean(ResilienceHealthIndicator.class)
                            .doesNotHaveBean("resilienceMeters")
                            .doesNotHaveBean(ResilienceExceptionHandler.class)
                            .doesNotHaveBean(Json.class)
                            .doesNotHaveBean(CallerScope.class);
                });
    }

    @Test
    void withoutAWebApplication() {
        runner.run(context -> {
            assertWorks(context);
            assertThat(context).doesNotHaveBean(ResilienceExceptionHandler.class);
        });
    }

    @Test
    void withAWebApplication() {
        new WebApplicationContextRunner()
                .withConfiguration(ALL)
                .run(context -> assertThat(context)
                        .hasSingleBean(ResilienceExceptionHandler.class)
                        .hasSingleBean(CallContextServletFilter.class)
                        .doesNotHaveBean(CallContextWebFilter.class));
    }

    @Test
    void withAReactiveWebApplication() {
        reactive.withPropertyValues(DEADLINE, "spring.reactor.context-propagation=auto")
                .run(context -> {
                    assertThat(context)
                            .hasSingleBean(CallContextWebFilter.class)
                            .doesNotHaveBean(CallContextServletFilter.class);
                    assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
                });
    }

    @Test
    void inAReactiveWebApplicationTheContextOfACallNeedsHelpToTravel() {
        reactive.withPropertyValues(DEADLINE).run(OptionalPartsTests::assertContextDoesNotTravel);
        reactive.withPropertyValues("resilience.retry.quiet.nested=suppress")
                .run(OptionalPartsTests::assertContextDoesNotTravel);
        reactive.withPropertyValues(DEADLINE, "spring.reactor.context-propagation=auto")
                .withClassLoader(new FilteredClassLoader(ContextRegistry.class))
                .run(OptionalPartsTests::assertContextDoesNotTravel);
    }

    @Test
    void nobodyIsWarnedWhoAsksForNothing() {
        reactive.run(context ->
                assertThat(context.getBean(StartupWarnings.class).all()).isEmpty());
    }

    private static void assertContextDoesNotTravel(AssertableReactiveWebApplicationContext context) {
        assertThat(context).hasNotFailed().hasSingleBean(CallContextWebFilter.class);
        assertThat(context.getBean(StartupWarnings.class).all())
                .singleElement()
                .asString()
                .contains("spring.reactor.context-propagation: auto", "io.micrometer:context-propagation");
    }

    @Test
    void withoutActuator() {
        without(Endpoint.class, ConditionalOnAvailableEndpoint.class, HealthIndicator.class)
                .run(OptionalPartsTests::assertWorks);
    }

    @Test
    void withoutAMeterRegistry() {
        runner.run(context -> {
            assertWorks(context);
            assertThat(context).doesNotHaveBean("resilienceMeters");
        });
        without(MeterRegistry.class).run(OptionalPartsTests::assertWorks);
    }

    @Test
    void withAMeterRegistry() {
        runner.withBean(SimpleMeterRegistry.class).run(context -> {
            assertWorks(context);
            assertThat(context).hasBean("resilienceMeters");
        });
    }

    @Test
    void withoutReactor() {
        without(Mono.class).run(OptionalPartsTests::assertWorks);
    }

    @Test
    void withoutJackson() {
        without(JsonMapper.class).run(context -> {
            assertWorks(context);
            assertThat(context).doesNotHaveBean(Json.class);
        });
    }

    @Test
    void withJacksonButWithoutAMapperOfTheApplication() {
        new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withBean(Keyed.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Keyed.class).pay("k")).isEqualTo("k1");
                    assertThat(context.getBean(Keyed.class).pay("k")).isEqualTo("k1");
                });
    }

    @Test
    void withoutSpringSecurity() {
        without(SecurityContextHolder.class).run(context -> {
            assertWorks(context);
            assertThat(context).doesNotHaveBean(CallerScope.class);
        });
    }

    @Test
    void switchedOffAnnotationsAreInert() {
        runner.withPropertyValues(
                        "resilience.enabled=false", "resilience.retries.typo=5", "resilience.retry.x.max-attempts=0")
                .withBean(Broken.class)
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .doesNotHaveBean(ResilienceRegistry.class)
                            .doesNotHaveBean("resilienceMeters")
                            .doesNotHaveBean(ResilienceEndpoint.class)
                            .doesNotHaveBean(ResilienceHealthIndicator.class);
                    Payments payments = context.getBean(Payments.class);
                    assertThat(payments.getClass()).isSameAs(Payments.class);
                    assertThatExceptionOfType(ConnectException.class).isThrownBy(payments::pay);
                    assertThat(payments.calls()).hasValue(1);
                });
    }

    public static class Payments {

        private final AtomicInteger calls = new AtomicInteger();

        public AtomicInteger calls() {
            return calls;
        }

        @Retryable("default")
        public void pay() throws ConnectException {
            if (calls.incrementAndGet() == 1) {
                throw new ConnectException("refused");
            }
        }
    }

    static class Keyed {

        private final AtomicInteger calls = new AtomicInteger();

        @Idempotent(key = "#key")
        String pay(String key) {
            return key + calls.incrementAndGet();
        }
    }

    static class Broken {

        @Retryable("nowhere")
        @Idempotent
        final Object pay() {
            return "paid";
        }
    }
}
