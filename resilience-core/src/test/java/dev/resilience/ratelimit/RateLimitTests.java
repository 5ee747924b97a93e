package dev.resilience.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.Resilience;
import dev.resilience.event.RateLimitOutcome;
import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateLimitTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();

    @Test
    void aCallWithoutAPermitIsRefusedAtOnce() {
        RateLimitPolicy policy = RateLimitPolicy.builder()
                .permits(2)
                .period(Duration.ofSeconds(1))
                .build();
        Pipeline pipeline = resilience.pipeline("orders").rateLimit(policy).build();
        pipeline.call(() -> "one");
        pipeline.call(() -> "two");

        assertThatThrownBy(() -> pipeline.call(() -> "three"))
                .isInstanceOfSatisfying(RateLimitExceededException.class, refused -> {
                    assertThat(refused.name()).isEqualTo("orders");
                    assertThat(refused.retryAfter()).isEqualTo(Duration.ofMillis(500));
                    assertThat(refused)
                            .hasMessage(
                                    "Rate limit 'orders' refused the call, because the limit is 2 calls in 1 s, and the"
                                            + " next permit is there in 0.5 s");
                });
        assertThat(resilience.rateLimit("orders", policy).calls().get(RateLimitOutcome.ACCEPTED))
                .isEqualTo(2);
    }
}
