package dev.resilience.retry;

import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.event.RetryOutcome;
import dev.resilience.pipeline.CallStyle;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What failed last, and since when no call has succeeded. */
@ParameterizedClass
@EnumSource
class RetryStatusTests {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final String REFUSED = ConnectException.class.getName();

    private final RetryBench bench;

    RetryStatusTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @Test
    void nothingHasFailedBeforeTheFirstFailedCall() throws Throwable {
        Retry retry = bench.retry(policy());

        bench.call(retry, returns("result"));

        assertThat(retry.status()).isEqualTo(new RetryStatus(null, null, null));
    }

    @Test
    void aCallHasFailedWhenItHasEndedAfterAllItsRetries() {
        Retry retry = bench.retry(policy());

        fail(retry);

        assertThat(retry.status()).isEqualTo(new RetryStatus(REFUSED, START.plusSeconds(2), START));
    }

    @Test
    void furtherFailuresDoNotMoveTheBeginning() {
        Retry retry = bench.retry(policy().maxAttempts(1));
        fail(retry);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(catchThrowable(() -> bench.call(retry, fails(new IllegalArgumentException()))))
                .isNotNull();

        assertThat(retry.status())
                .isEqualTo(new RetryStatus(IllegalArgumentException.class.getName(), START.plusSeconds(60), START));
    }

    @Test
    void aFailureIsShownWithItsMessageAndItsRootCause() {
        Retry retry = bench.retry(policy().maxAttempts(1));
        Exception wrapper = new IllegalStateException("I/O error: null", new ConnectException("Connection refused"));

        assertThat(catchThrowable(() -> bench.call(retry, fails(wrapper)))).isSameAs(wrapper);

        assertThat(retry.status().lastFailure())
                .isEqualTo("java.lang.IllegalStateException: I/O error: null, caused by "
                        + "java.net.ConnectException: Connection refused");
    }

    @Test
    void aSeriesIsNotShownBeforeACallHasFailedInIt() throws Throwable {
        Retry retry = bench.retry(policy());
        fail(retry);
        bench.call(retry, returns("result"));
        List<RetryStatus> seen = new ArrayList<>();
        bench.time.schedule(Duration.ofMillis(500), () -> seen.add(retry.status()));

        bench.call(retry, fails(new ConnectException()), returns("result"));

        assertThat(seen)
                .extracting(RetryStatus::failingSince)
                .containsOnlyNulls()
                .hasSize(1);
    }

    @Test
    void aSuccessEndsTheFailingAndLeavesTheLastFailure() throws Throwable {
        Retry retry = bench.retry(policy().maxAttempts(1));
        fail(retry);

        bench.call(retry, returns("result"));

        assertThat(retry.status()).isEqualTo(new RetryStatus(REFUSED, START, null));
    }

    @Test
    void aSuccessAfterARetryEndsItToo() throws Throwable {
        Retry retry = bench.retry(policy());
        fail(retry);

        bench.call(retry, fails(new ConnectException()), returns("result"));

        assertThat(retry.status().failingSince()).isNull();
    }

    @Test
    void failuresAfterASuccessBeginAnew() throws Throwable {
        Retry retry = bench.retry(policy().maxAttempts(1));
        fail(retry);
        bench.call(retry, returns("result"));
        bench.time.advance(Duration.ofHours(1));

        fail(retry);

        assertThat(retry.status().failingSince()).isEqualTo(START.plusSeconds(3600));
    }

    @Test
    void aResultThatStillAsksForAnotherTryIsAFailure() throws Throwable {
        bench.retryOnResult = "pending"::equals;
        Retry retry = bench.retry(policy().maxAttempts(1));

        bench.call(retry, returns("pending"));

        assertThat(retry.status()).isEqualTo(new RetryStatus("result", START, START));
    }

    @Test
    void aCallThatItsCallerInterruptsCountsNeitherWay() {
        Retry retry = bench.retry(policy().maxAttempts(1));
        fail(retry);
        RetryStatus before = retry.status();

        assertThat(catchThrowable(() -> bench.call(retry, fails(new InterruptedException()))))
                .isInstanceOf(InterruptedException.class);

        Thread.interrupted(); // set again for the caller, which is this test
        assertThat(retry.calls().get(RetryOutcome.INTERRUPTED)).isEqualTo(1);
        assertThat(retry.status()).isEqualTo(before);
    }

    private void fail(Retry retry) {
        ConnectException[] failures = {new ConnectException(), new ConnectException(), new ConnectException()};
        assertThat(catchThrowable(() -> bench.call(retry, fails(failures[0]), fails(failures[1]), fails(failures[2]))))
                .isInstanceOf(ConnectException.class);
    }
}
