package com.example;

import static dev.resilience.retry.Backoff.fixed;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.RetryScheduled;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.pipeline.ThrowingRunnable;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GatewayTests {
    @Test
    void aGatewayThatIsDownIsTriedThreeTimesAndThenLeftAlone() {
        ManualTimeSource time = new ManualTimeSource();
        Resilience resilience = Resilience.builder().timeSource(time).build();
        var strict = CircuitBreakerPolicy.builder().failureThreshold(1).build();
        Pipeline gateway = resilience
                .pipeline("gateway")
                .bulkhead(BulkheadPolicy.defaults())
                .circuitBreaker(strict)
                .retry(RetryPolicy.builder().backoff(fixed(ofMinutes(1))).build())
                .build();
        List<Object> heard = new ArrayList<>();
        resilience.onEvent(RetryScheduled.class, retry -> heard.add(retry.delay()));
        resilience.onEvent(CircuitStateChanged.class, change -> heard.add(change.to()));
        ThrowingRunnable<ConnectException> refusal = () -> {
            throw new ConnectException("refused");
        };

        assertThrows(ConnectException.class, () -> gateway.run(refusal));
        assertThat(heard).containsExactly(ofMinutes(1), ofMinutes(1), CircuitState.OPEN);

        time.advance(ofSeconds(30));
        gateway.run(() -> heard.add("paid"));
        assertThat(heard).endsWith(CircuitState.OPEN, CircuitState.HALF_OPEN, "paid");
    }
}
