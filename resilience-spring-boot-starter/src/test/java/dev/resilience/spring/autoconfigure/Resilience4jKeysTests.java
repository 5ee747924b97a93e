package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.retry.Backoff;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** What is left of Resilience4j after a change of libraries. */
class Resilience4jKeysTests extends FailingStartup {

    private static final String LEFT_OVER = """
        resilience4j:
          retry:
            configs:
              default:
                max-attempts: 4
                wait-duration: 200
              slow:
                wait-duration: 60s
            instances:
              paymentGateway:
                base-config: default
                enable-exponential-backoff: true
                exponential-backoff-multiplier: 2
                retry-exceptions: [java.io.IOException, java.util.concurrent.TimeoutException]
                result-predicate: com.acme.Pending
              reports:
                base-config: slow
          circuitbreaker.instances.gateway:
            failure-rate-threshold: 50
            sliding-window-size: 20
            sliding-window-type: COUNT_BASED
            wait-duration-in-open-state: 10m
            permitted-number-of-calls-in-half-open-state: 3
            register-health-indicator: true
          bulkhead.instances.gateway: {max-concurrent-calls: 5, max-wait-duration: 0}
          thread-pool-bulkhead.instances.mails: {max-thread-pool-size: 4, queue-capacity: 9}
          timelimiter.instances.gateway: {timeout-duration: 2s, cancel-running-future: true}
          ratelimiter.instances.gateway.limit-for-period: 5
        """;

    private String warning(String yaml) {
        try (ConfigurableApplicationContext context = start(yaml)) {
            return context.getBean(StartupWarnings.class).all().stream()
                    .reduce((one, other) -> one + "\n-----\n" + other)
                    .orElse("");
        }
    }

    @Test
    void isToldOnceWithTheEquivalent() {
        assertThat(warning(LEFT_OVER)).isEqualTo("""
            Keys under 'resilience4j' have no effect, because no Spring Boot starter of Resilience4j is on the class path. For this library they \
            are:

            resilience:
              retry:
                default:
                  max-attempts: 4
                  retry-on: java.lang.Exception
                  backoff:
                    base-delay: 200ms
                    strategy: fixed
                    jitter: none
                paymentGateway:
                  retry-on: [java.io.IOException, java.util.concurrent.TimeoutException]
                  backoff:
                    strategy: exponential
                    multiplier: 2
                reports:
                  extends: slow
                slow:
                  backoff:
                    base-delay: 60s
                    max-delay: 60s
              circuit-breaker:
                gateway:
                  failure-rate-threshold: 0.5
                  open-duration: 10m
                  failure-threshold: 0
                  minimum-calls: 20
                  open-duration-multiplier: 1.0
                  max-open-duration: 10m
                  window:
                    size: 20
                    type: count
                  half-open:
                    max-concurrent: 3
                    success-threshold: 3
              bulkhead:
                gateway:
                  max-concurrent: 5
                  max-queue: 0
                mails:
                  type: thread-pool
                  max-concurrent: 4
                  max-queue: 9
              time-limit:
                gateway:
                  timeout: 2s

            Without an equivalent: resilience4j.circuitbreaker.instances.gateway.register-health-indicator, \
            resilience4j.ratelimiter.instances.gateway.limit-for-period, \
            resilience4j.retry.instances.paymentGateway.result-predicate, \
            resilience4j.timelimiter.instances.gateway.cancel-running-future.""");
    }

    @Test
    void theEquivalentCanBePasted() {
        String text = warning(LEFT_OVER);
        String yaml = text.substring(text.indexOf("resilience:"), text.indexOf("\nWithout"));

        try (ConfigurableApplicationContext context = start(yaml)) {
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            var payments = registry.retries().get("paymentGateway").policy();
            assertThat(payments.maxAttempts()).isEqualTo(4);
            assertThat(payments.backoff().strategy()).isEqualTo(Backoff.Strategy.EXPONENTIAL);
            assertThat(payments.backoff().baseDelay()).isEqualTo(Duration.ofMillis(200));
            assertThat(payments.retryOn()).contains(IOException.class);
            CircuitBreakerPolicy gateway =
                    registry.circuitBreakers().get("gateway").policy();
            assertThat(gateway.failureRateThreshold()).isEqualTo(0.5);
            assertThat(gateway.window().type()).isEqualTo(CircuitBreakerPolicy.Window.Type.COUNT);
            assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
        }
    }

    @Test
    void theEquivalentIsInTheFailureOfMethodsThatNameSuchPolicies() {
        Printed printed = fail(LEFT_OVER, NamesLeftOvers.class)
                .says(
                        "There are 3 mistakes",
                        "(1) Keys under 'resilience4j' have no effect",
                        "names the circuit-breaker policy 'gateway'",
                        "names the retry policy 'paymentGateway'")
                .advises("(2) Write it below 'resilience': the mistake about keys under 'resilience4j' has the YAML");
        String text = printed.action();

        start(text.substring(text.indexOf("resilience:"), text.indexOf("\nWithout")), NamesLeftOvers.class)
                .close();
    }

    @Test
    void aNameThatIsNotAmongSuchKeysIsAnsweredByItself() {
        assertThat(fail("resilience4j.retry.instances.other.max-attempts: 4", NamesLeftOvers.class)
                        .description())
                .contains("There are 2 mistakes")
                .doesNotContain("resilience4j");
    }

    @Test
    void aWindowOfTimeHasALengthAndOnePercentIsAHundredth() {
        assertThat(warning("""
                resilience4j.circuitbreaker.instances.gateway:
                  sliding-window-type: TIME_BASED
                  sliding-window-size: 10
                  failure-rate-threshold: 1
                """))
                .contains("duration: 10s", "type: time", "failure-rate-threshold: 0.01")
                .doesNotContain("size");
    }

    @Test
    void placeholdersAreKeptAndCannotBreakTheYaml() {
        assertThat(warning("resilience4j.timelimiter.instances.gateway.timeout-duration: ${timeout:2s}"))
                .contains("timeout: \"${timeout:2s}\"");
    }

    @Test
    void nothingIsSaidWithoutSuchKeys() {
        assertThat(warning("resilience.retry.payments.max-attempts: 5")).isEmpty();
    }

    static class NamesLeftOvers {

        @CircuitBreaker("gateway")
        @Retryable("paymentGateway")
        public void pay() {}
    }
}
