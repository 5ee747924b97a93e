package dev.resilience.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceSpringCloudAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.client.circuitbreaker.CircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.CircuitBreakerFactory;
import org.springframework.cloud.client.circuitbreaker.Customizer;
import org.springframework.cloud.client.circuitbreaker.NoFallbackAvailableException;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class CircuitBreakerFactoryTests {

    private final ApplicationContextRunner application = Applications.plain()
            .withConfiguration(SortedOnce.of(ResilienceSpringCloudAutoConfiguration.class))
            .withPropertyValues(
                    "resilience.circuit-breaker.payments.failure-threshold=1",
                    "resilience.circuit-breaker.payments.open-duration=7s",
                    "resilience.time-limit.slow.timeout=2s");

    @Test
    void aCallThatSucceedsReturnsItsResult() {
        with((factory, registry) ->
                assertThat(factory.create("any").run(() -> "result")).isEqualTo("result"));
    }

    @Test
    void aCallThatFailsIsAnsweredByTheFallbackWithItsFailure() {
        with((factory, registry) -> {
            RuntimeException failure = new IllegalStateException("down");
            assertThat(factory.create("any").run(() -> fail(failure), thrown -> thrown.getMessage() + "!"))
                    .isEqualTo("down!");
            assertThat(registry.circuitBreaker("any").calls().get(CircuitBreakerOutcome.FAILURE))
                    .isEqualTo(1);
        });
    }

    @Test
    void aCallWithoutAFallbackFailsAsSpringCloudSays() {
        with((factory, registry) -> assertThatThrownBy(
                        () -> factory.create("any").run(() -> fail(new IllegalStateException("down"))))
                .isInstanceOf(NoFallbackAvailableException.class)
                .hasCauseInstanceOf(IllegalStateException.class));
    }

    @Test
    void aRefusalIsAnsweredByTheFallback() {
        with((factory, registry) -> {
            CircuitBreaker payments = factory.create("payments");
            payments.run(() -> fail(new IllegalStateException("down")), thrown -> "fallback");

            assertThat(registry.circuitBreaker("payments").currentState()).isEqualTo(CircuitState.OPEN);
            assertThat(payments.run(() -> "result", thrown -> thrown.getClass().getSimpleName()))
                    .isEqualTo(CircuitOpenException.class.getSimpleName());
        });
    }

    @Test
    void aMissingIdIsRefusedWithItsCure() {
        with((factory, registry) -> assertThatThrownBy(() -> factory.create(null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A circuit breaker of Spring Cloud has no id: give it one"));
    }

    @Test
    void anIdThatIsNotConfiguredHasTheDefaultPolicy() {
        with((factory, registry) -> {
            factory.create("any").run(() -> "result");
            factory.create("any").run(() -> "result");

            assertThat(registry.circuitBreaker("any").policy())
                    .isEqualTo(registry.circuitBreaker("default").policy());
            assertThat(registry.circuitBreaker("any").calls().total()).isEqualTo(2);
        });
    }

    @Test
    void aGroupLendsItsPolicyAndNotItsState() {
        with((factory, registry) -> {
            factory.create("refund", "payments").run(() -> fail(new IllegalStateException("down")), thrown -> "");

            assertThat(registry.circuitBreaker("refund").policy().openDuration())
                    .hasSeconds(7);
            assertThat(registry.circuitBreaker("refund").currentState()).isEqualTo(CircuitState.OPEN);
            assertThat(registry.circuitBreaker("payments").currentState()).isEqualTo(CircuitState.CLOSED);
            factory.create("other", "unknown");
            assertThat(registry.circuitBreaker("other").policy())
                    .isEqualTo(registry.circuitBreaker("default").policy());
        });
    }

    @Test
    void aTimeLimitOfTheIdHoldsIfThereIsOne() {
        application.run(context -> {
            CircuitBreakerFactory<?, ?> factory = context.getBean(CircuitBreakerFactory.class);
            ManualTimeSource time = context.getBean(ManualTimeSource.class);

            assertThat(factory.create("slow")
                            .run(
                                    () -> after(time, Duration.ofSeconds(3)),
                                    thrown -> thrown.getClass().getSimpleName()))
                    .isEqualTo(TimeLimitExceededException.class.getSimpleName());
            assertThat(factory.create("any").run(() -> after(time, Duration.ofHours(1))))
                    .isEqualTo("late");
            Thread.interrupted();
        });
    }

    @Test
    void codeConfiguresWhatYamlDoesNot() {
        application.withUserConfiguration(Customized.class).run(context -> {
            CircuitBreakerFactory<?, ?> factory = context.getBean(CircuitBreakerFactory.class);
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            factory.create("partner");
            factory.create("payments");
            factory.create("any");
            factory.create("one", "partner");

            assertThat(registry.circuitBreaker("partner").policy().failureThreshold())
                    .isEqualTo(2);
            assertThat(registry.circuitBreaker("payments").policy().failureThreshold())
                    .isEqualTo(1);
            assertThat(registry.circuitBreaker("any").policy().failureThreshold())
                    .isEqualTo(9);
            assertThat(registry.circuitBreaker("one").policy().failureThreshold())
                    .isEqualTo(2);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {

        @Bean
        Customizer<ResilienceCircuitBreakerFactory> thresholds() {
            return factory -> {
                factory.configure(config -> config.policy(threshold(2)), "partner", "payments");
                factory.configureDefault(id -> threshold(9));
            };
        }

        private static CircuitBreakerPolicy threshold(int failures) {
            return CircuitBreakerPolicy.builder().failureThreshold(failures).build();
        }
    }

    @Test
    void anotherFactorySwitchesThisOneOff() {
        application
                .withBean("other", CircuitBreakerFactory.class, () -> mock(CircuitBreakerFactory.class))
                .run(context -> assertThat(context)
                        .doesNotHaveBean(ResilienceCircuitBreakerFactory.class)
                        .hasSingleBean(ReactiveResilienceCircuitBreakerFactory.class));
        application
                .withBean("other", ReactiveCircuitBreakerFactory.class, () -> mock(ReactiveCircuitBreakerFactory.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(ResilienceCircuitBreakerFactory.class)
                        .doesNotHaveBean(ReactiveResilienceCircuitBreakerFactory.class));
    }

    @Test
    void idsAreNotTakenForUnusedPolicies() {
        application
                .withConfiguration(SortedOnce.of(
                        dev.resilience.spring.autoconfigure.ResilienceUnusedPoliciesAutoConfiguration.class))
                .run(context -> assertThat(context.getBean(dev.resilience.spring.StartupWarnings.class)
                                .all())
                        .noneMatch(warning -> warning.contains("payments")));
    }

    private static String after(ManualTimeSource time, Duration duration) {
        time.advance(duration);
        return "late";
    }

    private static String fail(RuntimeException failure) {
        throw failure;
    }

    private void with(Use use) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            use.with(context.getBean(CircuitBreakerFactory.class), context.getBean(ResilienceRegistry.class));
        });
    }

    private interface Use {

        void with(CircuitBreakerFactory<?, ?> factory, ResilienceRegistry registry);
    }
}
