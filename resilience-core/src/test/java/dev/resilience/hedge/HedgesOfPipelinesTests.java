package dev.resilience.hedge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.PipelineBuilder;
import dev.resilience.Resilience;
import dev.resilience.ResilienceBuilder;
import dev.resilience.context.Attempt;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class HedgesOfPipelinesTests {

    private static final HedgePolicy FREE =
            HedgePolicy.builder().sideEffectFree(true).build();

    private final ManualTimeSource time = new ManualTimeSource();
    private final ResilienceBuilder builder = Resilience.builder().timeSource(time);

    @Test
    void isNeitherForRetriedCallsNorForThoseThatMayHaveAnEffect() {
        PipelineBuilder retried = builder.build().pipeline("orders").hedge(FREE).retry(RetryPolicy.defaults());
        PipelineBuilder effects = builder.build().pipeline("orders").hedge(HedgePolicy.defaults());

        assertThatThrownBy(retried::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no retry");
        assertThatThrownBy(effects::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("idempotent(...)");
    }

    @Test
    void eachAttemptHasItsOwnTimeLimit() {
        try (Resilience resilience = builder.build()) {
            var pipeline = resilience
                    .pipeline("orders")
                    .timeLimit(TimeLimitPolicy.builder()
                            .timeout(Duration.ofSeconds(1))
                            .build())
                    .hedge(FREE)
                    .build();
            for (int i = 0; i < 100; i++) {
                pipeline.callAsync(() -> CompletableFuture.completedFuture("usual"));
            }
            time.advance(Duration.ofSeconds(3));
            pipeline.callAsync(() -> CompletableFuture.completedFuture("usual"));
            List<CompletableFuture<String>> attempts = new ArrayList<>();
            var answer = pipeline.callAsync(() -> {
                attempts.add(new CompletableFuture<>());
                return attempts.get(attempts.size() - 1);
            });

            time.advance(Duration.ofSeconds(1));
            assertThat(attempts).hasSize(2);
            assertThat(attempts.get(0)).isCancelled();
            assertThat(answer).isNotDone();
            time.advance(Duration.ofMillis(10));
            assertThat(answer).isCompletedExceptionally();
        }
    }

    @Test
    void aRetryInsideRepeatsTheFirstAttemptAlone() {
        try (Resilience resilience = builder.build()) {
            var hedged = resilience.pipeline("orders").hedge(FREE).build();
            var client = resilience
                    .pipeline("client")
                    .retry(RetryPolicy.builder()
                            .backoff(Backoff.fixed(Duration.ofSeconds(1)))
                            .build())
                    .build();
            for (int i = 0; i < 100; i++) {
                hedged.callAsync(() -> CompletableFuture.completedFuture("usual"));
            }
            time.advance(Duration.ofSeconds(3));
            hedged.callAsync(() -> CompletableFuture.completedFuture("usual"));
            List<Integer> requests = new ArrayList<>();
            var answer = hedged.callAsync(() -> client.callAsync(() -> {
                requests.add(Attempt.current().number());
                return CompletableFuture.failedFuture(new ConnectException("refused"));
            }));
            time.advance(Duration.ofSeconds(10));

            assertThat(answer).isCompletedExceptionally();
            assertThat(requests).containsExactly(1, 2, 2, 3);
        }
    }

    @Test
    void aCallKnowsItsAttemptBeforeAnythingIsMeasured() {
        try (Resilience resilience = builder.build()) {
            var pipeline = resilience.pipeline("orders").hedge(FREE).build();

            assertThat(pipeline.get(() -> Attempt.current().number())).isEqualTo(1);
        }
    }

    @Test
    void aShareOfNothingOrMoreThanAllIsRefused() {
        for (double share : new double[] {0, -1, 1.5, Double.NaN}) {
            assertThatThrownBy(() -> HedgePolicy.builder().maxExtraLoad(share).build())
                    .isInstanceOf(InvalidPolicyException.class)
                    .hasMessageContaining("max-extra-load");
        }
        assertThatThrownBy(
                        () -> HedgePolicy.builder().minimumDelay(Duration.ZERO).build())
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining("minimum-delay");
        assertThat(HedgePolicy.defaults()).isEqualTo(new HedgePolicy(0.01, Duration.ofMillis(10), false));
    }
}
