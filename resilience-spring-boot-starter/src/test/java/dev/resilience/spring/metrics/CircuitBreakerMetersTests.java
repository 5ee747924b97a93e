package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class CircuitBreakerMetersTests {

    @Test
    void callsAreCountedByHowTheyEnd() {
        runner().run(context -> {
            Shop shop = context.getBean(Shop.class);
            succeed(context);
            succeed(context);
            fail(context);
            assertThatThrownBy(() -> shop.sell(() -> {
                        throw new IllegalArgumentException("the caller's fault");
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
            breaker(context).forceOpen();
            assertThatThrownBy(() -> shop.sell(() -> {})).isInstanceOf(CircuitOpenException.class);

            assertThat(calls(context)).isEqualTo(Map.of("success", 2, "failure", 1, "ignored", 1, "rejected", 1));
        });
    }

    @Test
    void aFutureThatItsCallerCancelsIsIgnored() {
        runner().run(context -> {
            context.getBean(Shop.class).sellLater().cancel(true);
            assertThat(calls(context)).isEqualTo(Map.of("ignored", 1));
        });
    }

    @Test
    void slowCallsAreCountedByTheTimeSource() {
        runner().withPropertyValues("resilience.circuit-breaker.default.slow-call-duration=2s")
                .run(context -> {
                    ManualTimeSource time = context.getBean(ManualTimeSource.class);
                    Shop shop = context.getBean(Shop.class);
                    shop.sell(() -> time.advance(Duration.ofSeconds(2)));
                    shop.sell(() -> time.advance(Duration.ofSeconds(3)));

                    assertThat(Meters.of(context).count("resilience.circuitbreaker.slow.calls", "name", "default"))
                            .isEqualTo(1);
                });
    }

    @Test
    void theFailureRateIsANumberOnceThereAreEnoughCalls() {
        runner().withPropertyValues(
                        "resilience.circuit-breaker.default.minimum-calls=4",
                        "resilience.circuit-breaker.default.failure-rate-threshold=1")
                .run(context -> {
                    succeed(context);
                    succeed(context);
                    succeed(context);
                    assertThat(failureRate(context)).isNaN();

                    fail(context);

                    assertThat(failureRate(context)).isEqualTo(0.25);
                });
    }

    @Test
    void theStateAndItsTransitionsFollowTheCalls() {
        runner().withPropertyValues("resilience.circuit-breaker.default.failure-threshold=1")
                .run(context -> {
                    assertThat(state(context)).isZero();
                    fail(context);
                    assertThat(state(context)).isEqualTo(1);
                    context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(30));
                    succeed(context);
                    assertThat(state(context)).isEqualTo(2);
                    succeed(context);
                    assertThat(state(context)).isZero();

                    assertThat(transition(context, "closed", "open")).isEqualTo(1);
                    assertThat(transition(context, "open", "half_open")).isEqualTo(1);
                    assertThat(transition(context, "half_open", "closed")).isEqualTo(1);
                    assertThat(Meters.of(context).countsBy("name", "resilience.circuitbreaker.transitions"))
                            .isEqualTo(Map.of("default", 3));
                });
    }

    @Test
    void theStateAndItsTransitionsFollowTheOperator() {
        runner().run(context -> {
            breaker(context).forceOpen();
            assertThat(state(context)).isEqualTo(3);
            breaker(context).disable();
            assertThat(state(context)).isEqualTo(4);
            breaker(context).close();
            assertThat(state(context)).isZero();

            assertThat(transition(context, "closed", "forced_open")).isEqualTo(1);
            assertThat(transition(context, "forced_open", "disabled")).isEqualTo(1);
            assertThat(transition(context, "disabled", "closed")).isEqualTo(1);
        });
    }

    @Test
    void aDisabledOneCountsNothing() {
        runner().withPropertyValues("resilience.circuit-breaker.default.initial-state=disabled")
                .run(context -> {
                    succeed(context);
                    fail(context);
                    assertThat(calls(context)).isEmpty();
                    assertThat(failureRate(context)).isNaN();
                });
    }

    private static ApplicationContextRunner runner() {
        return Meters.application(Shop.class);
    }

    private static void succeed(AssertableApplicationContext context) {
        context.getBean(Shop.class).sell(() -> {});
    }

    private static void fail(AssertableApplicationContext context) {
        assertThatThrownBy(() -> context.getBean(Shop.class).sell(() -> {
                    throw new UncheckedIOException(new ConnectException("refused"));
                }))
                .isInstanceOf(UncheckedIOException.class);
    }

    private static dev.resilience.circuitbreaker.CircuitBreaker breaker(AssertableApplicationContext context) {
        return context.getBean(ResilienceRegistry.class).circuitBreakers().get("default");
    }

    private static Map<String, Integer> calls(AssertableApplicationContext context) {
        return Meters.of(context).countsBy("outcome", "resilience.circuitbreaker.calls", "name", "default");
    }

    private static double state(AssertableApplicationContext context) {
        return Meters.of(context).gauge("resilience.circuitbreaker.state", "name", "default");
    }

    private static double failureRate(AssertableApplicationContext context) {
        return Meters.of(context).gauge("resilience.circuitbreaker.failure.rate", "name", "default");
    }

    private static double transition(AssertableApplicationContext context, String from, String to) {
        return Meters.of(context)
                .count("resilience.circuitbreaker.transitions", "name", "default", "from", from, "to", to);
    }

    static class Shop {

        @CircuitBreaker("default")
        public void sell(Runnable work) {
            work.run();
        }

        @CircuitBreaker("default")
        public CompletableFuture<String> sellLater() {
            return new CompletableFuture<>();
        }
    }
}
