package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.OUT_OF_TIME;
import static dev.resilience.event.RetryOutcome.SUCCESS;
import static dev.resilience.event.RetryOutcome.SUCCESS_AFTER_RETRY;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static dev.resilience.retry.RetryBench.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.event.RetryScheduled;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class RetryWaitTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final RetryBench bench;
    private final ConnectException refused = new ConnectException("refused");

    RetryWaitTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @Test
    void attemptsAreMadeAfterTheWaitsOfTheBackoff() throws Throwable {
        Backoff growing = new Backoff(Backoff.Strategy.EXPONENTIAL, SECOND, 2, Duration.ofSeconds(5), Jitter.NONE, 0);
        Retry retry = bench.retry(policy().maxAttempts(6).backoff(growing));

        bench.call(retry, failing(5, returns("result")));

        assertThat(bench.attempts).containsExactly(seconds(0, 1, 3, 7, 12, 17));
    }

    @Test
    void withoutDelayAttemptsFollowAtOnce() throws Throwable {
        Retry retry = bench.retry(policy().backoff(RetryBench.fixed(Duration.ZERO)));

        bench.call(retry, failing(2, returns("result")));

        assertThat(bench.attempts).containsExactly(seconds(0, 0, 0));
    }

    @Test
    void fullJitterStaysWithinTheDelay() {
        Retry retry = bench.retry(RetryPolicy.builder().maxAttempts(50));

        assertThat(waitsOf(retry, 50))
                .hasSize(49)
                .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ZERO, Duration.ofSeconds(30)))
                .as("scattered")
                .doesNotHaveDuplicates();
    }

    @Test
    void decorrelatedJitterFollowsThePreviousWait() {
        Duration longest = Duration.ofSeconds(20);
        Backoff decorrelated = new Backoff(Backoff.Strategy.EXPONENTIAL, SECOND, 2, longest, Jitter.DECORRELATED, 0);

        List<Duration> waits = waitsOf(bench.retry(policy().maxAttempts(50).backoff(decorrelated)), 50);

        Duration previous = SECOND;
        for (Duration wait : waits) {
            Duration most = previous.multipliedBy(3);
            assertThat(wait).isBetween(SECOND, most.compareTo(longest) > 0 ? longest : most);
            previous = wait;
        }
        assertThat(waits).as("grows beyond the first wait's bound").anyMatch(wait -> wait.toSeconds() >= 3);
    }

    @Nested
    class MaxDuration {

        private final Retry retry = bench.retry(policy().maxAttempts(10).maxDuration(SECOND.multipliedBy(3)));

        @Test
        void isCheckedBeforeTheWait() {
            assertThat(catchThrowable(() -> bench.call(retry, failing(10, returns("too late")))))
                    .isSameAs(refused);

            assertThat(bench.attempts).containsExactly(seconds(0, 1, 2, 3));
            assertThat(bench.time.elapsed()).as("no wait in vain").isEqualTo(SECOND.multipliedBy(3));
            assertCounted(retry, OUT_OF_TIME);
        }

        @Test
        void includesTheTimeThatAttemptsTake() {
            Invocation slow = () -> {
                bench.time.advance(Duration.ofMillis(700));
                throw refused;
            };

            assertThat(catchThrowable(() -> bench.call(retry, slow, slow, slow, slow)))
                    .isSameAs(refused);

            assertThat(bench.attempts).containsExactly(seconds(0, 1.7));
            assertCounted(retry, OUT_OF_TIME);
        }

        @Test
        void beginsWithEachCallAnew() throws Throwable {
            bench.time.advance(Duration.ofHours(1));

            bench.call(retry, failing(3, returns("result")));

            assertCounted(retry, SUCCESS_AFTER_RETRY);
        }

        @Test
        void doesNotEndARunningAttempt() throws Throwable {
            Object result = bench.call(retry, () -> {
                bench.time.advance(Duration.ofHours(1));
                return "late";
            });

            assertThat(result).isEqualTo("late");
            assertCounted(retry, SUCCESS);
        }

        @Test
        void leavesTheWallClockAlone() throws Throwable {
            Invocation whileTheClockIsSet = () -> {
                bench.time.shiftWallClock(Duration.ofDays(1));
                throw refused;
            };

            bench.call(retry, whileTheClockIsSet, whileTheClockIsSet, returns("result"));

            assertCounted(retry, SUCCESS_AFTER_RETRY);
        }
    }

    private List<Duration> waitsOf(Retry retry, int attempts) {
        List<Duration> waits = new ArrayList<>();
        bench.events.add(event -> {
            if (event instanceof RetryScheduled scheduled) {
                waits.add(scheduled.delay());
            }
        });
        assertThat(catchThrowable(() -> bench.call(retry, failing(attempts, returns("never")))))
                .isSameAs(refused);
        return waits;
    }

    private Invocation[] failing(int times, Invocation then) {
        Invocation[] script = new Invocation[times + 1];
        Arrays.fill(script, fails(refused));
        script[times] = then;
        return script;
    }
}
