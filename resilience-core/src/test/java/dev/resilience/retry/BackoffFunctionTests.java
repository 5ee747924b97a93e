package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.OUT_OF_TIME;
import static dev.resilience.event.RetryOutcome.SUCCESS_AFTER_RETRY;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static dev.resilience.retry.RetryBench.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import dev.resilience.event.CapturedLog;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.retry.RetryBench.HttpError;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A function of the application's says how long to wait. */
@ParameterizedClass
@EnumSource
class BackoffFunctionTests {

    private final RetryBench bench;
    private final ConnectException refused = new ConnectException();

    BackoffFunctionTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @Test
    void itsDelayIsWaitedFor() throws Throwable {
        bench.backoff = (attempt, failure, result) -> Duration.ofSeconds(10L * attempt);

        bench.call(bench.retry(policy()), fails(refused), fails(refused), returns("done"));

        assertThat(bench.attempts).containsExactly(seconds(0, 10, 30));
    }

    @Test
    void itHearsHowTheAttemptEnded() throws Throwable {
        List<Object> heard = new ArrayList<>();
        bench.retryOnResult = "pending"::equals;
        bench.backoff = (attempt, failure, result) -> {
            heard.add(Arrays.asList(attempt, failure, result));
            return Duration.ZERO;
        };

        bench.call(bench.retry(policy()), fails(refused), returns("pending"), returns("done"));

        assertThat(heard).containsExactly(Arrays.asList(1, refused, null), Arrays.asList(2, null, "pending"));
    }

    @Test
    void noDelayIsLongerThanMaxDelayAndThatIsTheWorstCase() throws Throwable {
        bench.backoff = (attempt, failure, result) -> Duration.ofSeconds(Long.MAX_VALUE);
        Backoff backoff = Backoff.builder().maxDelay(Duration.ofSeconds(7)).build();
        Retry retry = bench.retry(policy().backoff(backoff));

        bench.call(retry, fails(refused), returns("done"));

        assertThat(bench.attempts).containsExactly(seconds(0, 7));
        assertThat(retry.policy().worstCaseWait()).isEqualTo(Duration.ofSeconds(14));
    }

    @Test
    void aLongerHintOfTheServerHolds() throws Throwable {
        bench.backoff = (attempt, failure, result) -> Duration.ofSeconds(2);

        bench.call(bench.retry(policy()), fails(new HttpError(503, "5")), returns("done"));

        assertThat(bench.attempts).containsExactly(seconds(0, 5));
    }

    @Test
    void aDelayBeyondMaxDurationEndsTheRetrying() {
        bench.backoff = (attempt, failure, result) -> Duration.ofSeconds(2);
        Retry retry = bench.retry(policy().maxDuration(Duration.ofSeconds(1)));

        assertThat(catchThrowable(() -> bench.call(retry, fails(refused)))).isSameAs(refused);

        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    @SuppressWarnings("NullAway") // an application's function may return null
    void whereItIsBrokenThePolicysBackoffIsUsedAndTheLogSaysSoOnce() throws Throwable {
        Stream<BackoffFunction> broken = Stream.of(
                (attempt, failure, result) -> {
                    throw new IllegalStateException("no delay");
                },
                (attempt, failure, result) -> null,
                (attempt, failure, result) -> Duration.ofNanos(-1));
        for (BackoffFunction function : broken.toList()) {
            bench.backoff = function;
            bench.attempts.clear();
            Duration start = bench.time.elapsed();
            Retry retry = bench.retry(policy());
            try (CapturedLog log = CapturedLog.of(Retry.class)) {
                bench.call(retry, fails(refused), fails(refused), returns("done"));

                assertThat(bench.attempts).containsExactly(start, start.plusSeconds(1), start.plusSeconds(2));
                assertCounted(retry, SUCCESS_AFTER_RETRY);
                assertThat(log.events())
                        .filteredOn(line -> "callback_failed"
                                .equals(CapturedLog.pairsOf(line).get("event")))
                        .singleElement()
                        .satisfies(line -> {
                            assertThat(line.getLevel()).isEqualTo(Level.WARN);
                            assertThat(line.getFormattedMessage()).contains("backoff.function");
                            assertThat(line.getThrowableProxy()).isNotNull();
                        });
            }
        }
    }
}
