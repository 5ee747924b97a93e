package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.context.Deadline;
import dev.resilience.event.RetryOutcome;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry.ExhaustedCalls;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which calls that ran out of retries are told to those who keep them, and how often. */
class ExhaustedCallsTests {

    private final ConnectException refused = new ConnectException("refused");

    private final ManualTimeSource time = new ManualTimeSource();
    private final List<@Nullable Throwable> ranOut = new ArrayList<>();
    private final List<Throwable> failedOtherwise = new ArrayList<>();
    private @Nullable String whyLost;

    private final ExhaustedCalls exhausted = new ExhaustedCalls() {
        @Override
        public @Nullable Object begins(Invocation call) {
            return null;
        }

        @Override
        public void ranOut(Invocation call, @Nullable Object begun, int attempts, @Nullable Throwable failure) {
            ranOut.add(failure);
        }

        @Override
        public void failedOtherwise(Throwable failure) {
            failedOtherwise.add(failure);
        }
    };

    private Retry retry(int maxAttempts) {
        RetryPolicy policy = RetryPolicy.builder()
                .maxAttempts(maxAttempts)
                .deadLetter(true)
                .budget(RetryPolicy.NO_BUDGET)
                .backoff(RetryBench.fixed(Duration.ofSeconds(1)))
                .build();
        return RetryBuilder.retry("orders", policy)
                .timeSource(time)
                .transactions(failure -> whyLost)
                .build();
    }

    private Pipeline pipeline(Retry retry) {
        return Pipeline.of(Retry.telling(exhausted, retry));
    }

    private void fail(CallStyle style, Retry retry) {
        assertThatThrownBy(() -> style.call(pipeline(retry), time, RetryBench.fails(refused)))
                .isSameAs(refused);
    }

    @ParameterizedTest
    @EnumSource
    void theLastAttemptOfALostTransactionIsExhaustedButNotKept(CallStyle style) {
        Retry retry = retry(1);
        whyLost = "it is marked rollback-only";

        fail(style, retry);

        assertThat(ranOut).isEmpty();
        RetryBench.assertCounted(retry, RetryOutcome.EXHAUSTED);
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatHadNoTimeInALostTransactionIsNotKept(CallStyle style) throws Exception {
        whyLost = "it is marked rollback-only";

        Throwable seen = Deadline.in(Duration.ZERO)
                .call(() -> catchThrowable(() -> style.call(pipeline(retry(3)), time, RetryBench.fails(refused))));

        assertThat(seen).isInstanceOf(DeadlineExceededException.class);

        assertThat(ranOut).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aCallOfALostTransactionIsNotKeptWhenTheApplicationEnds(CallStyle style) {
        Retry retry = retry(3);
        whyLost = "it is marked rollback-only";
        retry.waits.stop();

        fail(style, retry);

        assertThat(ranOut).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aCallOfATransactionThatIsNotLostIsKept(CallStyle style) {
        fail(style, retry(1));

        assertThat(ranOut).containsExactly(refused);
    }

    @ParameterizedTest
    @EnumSource
    void eachCallThatIsPartOfAnotherRetryIsNotKept(CallStyle style) {
        Pipeline nested = Pipeline.of(retry(2), Retry.telling(exhausted, retry(1)));

        assertThatThrownBy(() -> style.call(nested, time, RetryBench.fails(refused)))
                .isSameAs(refused);

        assertThat(ranOut).isEmpty();
        assertThat(failedOtherwise).containsExactly(refused, refused);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClockThatIsBrokenDoesNotKeepACallTwiceNorNever(boolean runsWhatItRefuses) {
        Retry retry = RetryBuilder.retry(
                        "orders",
                        RetryPolicy.builder()
                                .maxAttempts(1)
                                .budget(RetryPolicy.NO_BUDGET)
                                .build())
                .timeSource(new BrokenTime(runsWhatItRefuses).source())
                .build();

        CompletableFuture<Object> call = pipeline(retry).callAsync(() -> CompletableFuture.failedFuture(refused));

        assertThatThrownBy(call::join).hasCause(refused);
        assertThat(ranOut).containsExactly(refused);
    }

    /** Throws when something is scheduled, possibly after it has run it. */
    private record BrokenTime(boolean runsTasks) {

        TimeSource source() {
            ManualTimeSource time = new ManualTimeSource();
            return (TimeSource) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {TimeSource.class}, (proxy, method, arguments) -> {
                        Object answer;
                        try {
                            answer = runsTasks || !method.getName().startsWith("schedule")
                                    ? method.invoke(time, arguments)
                                    : null;
                        } catch (InvocationTargetException thrown) {
                            throw thrown.getTargetException();
                        }
                        if (method.getName().startsWith("schedule")) {
                            throw new IllegalStateException("a clock is broken");
                        }
                        return answer;
                    });
        }
    }
}
