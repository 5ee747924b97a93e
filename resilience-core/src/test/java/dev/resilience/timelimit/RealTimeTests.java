package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.Resilience;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** On the system's time, where the timer is a thread of its own. */
@Timeout(60)
class RealTimeTests {

    @ParameterizedTest
    @EnumSource(RunsOn.class)
    void aBlockedCallEnds(RunsOn thread) {
        Pipeline pipeline = pipeline(Duration.ofMillis(20), thread);

        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> pipeline.call(TestTimeLimit::blocked))
                    .isInstanceOf(TimeLimitExceededException.class);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
        assertThatThrownBy(() -> pipeline.callAsync(CompletableFuture::new).get())
                .hasCauseInstanceOf(TimeLimitExceededException.class);
    }

    @ParameterizedTest
    @EnumSource(RunsOn.class)
    void absurdlyLongTimesAreForEver(RunsOn thread) throws Exception {
        Pipeline pipeline = pipeline(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999), thread);

        assertThat(pipeline.call(() -> "ok")).isEqualTo("ok");
        assertThat(pipeline.callAsync(() -> CompletableFuture.completedFuture("ok"))
                        .get())
                .isEqualTo("ok");
    }

    private static Pipeline pipeline(Duration timeout, RunsOn thread) {
        return Pipeline.of(Resilience.create()
                .timeLimit(
                        "orders",
                        TimeLimitPolicy.builder()
                                .timeout(timeout)
                                .thread(thread)
                                .build()));
    }
}
