package dev.resilience.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.Resilience;
import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClosedRateLimitTests {

    private final ManualTimeSource time = new ManualTimeSource();

    @Test
    void aCallThatIsRefusedBecauseItMayNotWaitTakesNoPermit() {
        Resilience resilience = Resilience.builder().timeSource(time).build();
        Pipeline pipeline = resilience
                .pipeline("p")
                .rateLimit(RateLimitPolicy.builder()
                        .permits(1)
                        .period(Duration.ofSeconds(1))
                        .maxWait(Duration.ofSeconds(1))
                        .build())
                .build();
        pipeline.call(() -> "answer");
        resilience.close();

        assertThatThrownBy(() -> pipeline.call(() -> "answer")).isInstanceOf(RateLimitExceededException.class);
        time.advance(Duration.ofSeconds(1));

        assertThat(pipeline.call(() -> "answer")).isEqualTo("answer");
    }
}
