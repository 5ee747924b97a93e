package dev.resilience.spring.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.pipeline.Environment;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the endpoint shows of the listeners of a circuit breaker. */
class PausedListenersStateTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final CircuitBreaker breaker =
            breaker(CircuitBreakerPolicy.builder().pauseListeners(true).build());

    private CircuitBreaker breaker(CircuitBreakerPolicy policy) {
        return new CircuitBreaker("backend", policy, Environment.of(time));
    }

    private static void assertPaused(CircuitBreaker breaker, boolean paused) {
        assertThat(new CircuitBreakerKind().state(breaker)).containsEntry("listenersPaused", paused);
    }

    @Test
    void theyPauseUntilAProbeIsDue() {
        assertPaused(breaker, false);
        breaker.open();
        assertPaused(breaker, true);
        time.advance(Duration.ofSeconds(30));
        assertPaused(breaker, false);
    }

    @Test
    void theyPauseForNoBreakerThatOnlyCountsItsRefusals() {
        CircuitBreaker tried = breaker(
                CircuitBreakerPolicy.builder().pauseListeners(true).enforce(0).build());
        tried.open();
        assertPaused(tried, false);
        tried.forceOpen();
        assertPaused(tried, true);
    }

    @Test
    void theyPauseWhileItIsForcedOpen() {
        breaker.forceOpen();
        time.advance(Duration.ofDays(1));
        assertPaused(breaker, true);
        breaker.close();
        assertPaused(breaker, false);
    }

    @Test
    void withoutTheKeyNothingIsToldOfThem() {
        assertThat(new CircuitBreakerKind().state(breaker(CircuitBreakerPolicy.defaults())))
                .doesNotContainKey("listenersPaused");
    }
}
