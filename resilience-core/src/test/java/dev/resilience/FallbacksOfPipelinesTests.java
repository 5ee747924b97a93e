package dev.resilience;

import static dev.resilience.event.CapturedLog.pairsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.event.CapturedLog;
import dev.resilience.event.FallbackOutcome;
import dev.resilience.event.RetryOutcome;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.fallback.Fallback;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.OneKey;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FallbacksOfPipelinesTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();
    private final CapturedLog log = CapturedLog.of(Fallback.class);

    @AfterEach
    void close() {
        resilience.close();
        log.close();
    }

    @Test
    void aPlainValueAnswersAnAsynchronousCallToo() {
        Pipeline quotes =
                resilience.pipeline("quotes").fallback(failure -> "later").build();

        CompletableFuture<Object> answer =
                quotes.callAsync(() -> CompletableFuture.failedFuture(new ConnectException()));

        assertThat(answer).isCompletedWithValue("later");
    }

    @Test
    void nullAnswersAnAsynchronousCallToo() {
        Pipeline quotes =
                resilience.pipeline("quotes").fallback(failure -> null).build();

        CompletableFuture<@Nullable Object> answer =
                quotes.callAsync(() -> CompletableFuture.failedFuture(new ConnectException()));

        assertThat(answer).isCompletedWithValue(null);
    }

    @Test
    void pipelinesOfOneNameFoldTheirLogTogether() throws ConnectException {
        for (int key = 0; key < 30; key++) {
            Pipeline quotes =
                    resilience.pipeline("quotes").fallback(failure -> "later").build();
            assertThat(answered(quotes)).isEqualTo("later");
        }
        resilience.close();

        assertThat(log.events()).hasSize(2);
        assertThat(pairsOf(log.events().get(1)))
                .containsEntry("event", "fallback_summary")
                .containsEntry("success", 29L);
    }

    @Test
    void pipelinesOfOtherNamesHaveLinesOfTheirOwn() throws ConnectException {
        for (int key = 0; key < 15; key++) {
            answered(resilience
                    .pipeline("quotes-" + key)
                    .fallback(failure -> "later")
                    .build());
        }

        assertThat(log.events()).hasSize(15);
    }

    @Test
    void anOrderOfOnesOwnMayPutTheFallbackInsideOfTheRetry() throws ConnectException {
        Retry retry = resilience.retry("quotes", RetryPolicy.defaults());
        Fallback fallback = resilience.fallback("quotes", ConnectException.class, refused -> "later");

        assertThat(answered(resilience.outermostFirst(retry, fallback))).isEqualTo("later");
        assertThat(retry.calls().get(RetryOutcome.SUCCESS)).isOne();
        assertThat(fallback.calls().get(FallbackOutcome.SUCCESS)).isOne();
    }

    @ParameterizedTest
    @EnumSource(RunsOn.class)
    void whatAFallbackAnswersAfterTheTimeLimitAroundItIsOverIsDropped(RunsOn thread) {
        TimeLimit limit = resilience.timeLimit(
                "quotes",
                TimeLimitPolicy.builder()
                        .timeout(Duration.ofSeconds(1))
                        .thread(thread)
                        .build());
        Fallback fallback = resilience.fallback("quotes", InterruptedException.class, interrupted -> "later");
        Pipeline quotes = resilience.outermostFirst(limit, fallback);

        assertThatThrownBy(() -> quotes.call(() -> {
                    time.advance(Duration.ofSeconds(1));
                    new CountDownLatch(1).await();
                    return "never";
                }))
                .isInstanceOf(TimeLimitExceededException.class);

        await().until(() -> limit.workers() == 0);
    }

    @Test
    void aFallbackForOneTypeAnswersForNoOther() {
        Fallback fallback = resilience.fallback("quotes", IllegalStateException.class, refused -> "later");

        assertThatThrownBy(() -> answered(resilience.outermostFirst(fallback))).isInstanceOf(ConnectException.class);
    }

    @ParameterizedTest
    @EnumSource(CallStyle.class)
    void itsAnswerIsNeverStoredInAnOrderOfOnesOwn(CallStyle style) throws Throwable {
        Idempotency idempotency =
                resilience.idempotency("orders", IdempotencyPolicy.defaults(), new MemoryIdempotencyStore(time));
        Fallback fallback = resilience.fallback("orders", ConnectException.class, refused -> "later");
        AtomicInteger calls = new AtomicInteger();
        Pipeline orders = resilience.outermostFirst(
                idempotency.protecting(new OneKey()), resilience.retry("orders", RetryPolicy.defaults()), fallback);

        for (String expected : new String[] {"later", "2", "2"}) {
            assertThat(style.call(orders, time, () -> {
                        if (calls.incrementAndGet() == 1) {
                            throw new ConnectException();
                        }
                        return String.valueOf(calls.get());
                    }))
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(CallStyle.class)
    void whatALaterAttemptReturnsIsStored(CallStyle style) throws Throwable {
        Idempotency idempotency =
                resilience.idempotency("orders", IdempotencyPolicy.defaults(), new MemoryIdempotencyStore(time));
        RetryPolicy untilResult =
                RetryPolicy.builder().retryOnResult("later"::equals).build();
        Fallback fallback = resilience.fallback("orders", ConnectException.class, refused -> "later");
        AtomicInteger calls = new AtomicInteger();
        Pipeline orders = resilience.outermostFirst(
                idempotency.protecting(new OneKey()), resilience.retry("orders", untilResult), fallback);

        for (int call = 0; call < 2; call++) {
            assertThat(style.call(orders, time, () -> {
                        if (calls.incrementAndGet() == 1) {
                            throw new ConnectException();
                        }
                        return "result " + calls.get();
                    }))
                    .isEqualTo("result 2");
        }
    }

    @ParameterizedTest
    @EnumSource(CallStyle.class)
    void anAttemptBehindARetryTakesItsKeyAnew(CallStyle style) throws Throwable {
        Idempotency idempotency =
                resilience.idempotency("orders", IdempotencyPolicy.defaults(), new MemoryIdempotencyStore(time));
        AtomicInteger calls = new AtomicInteger();
        Pipeline orders = resilience.outermostFirst(
                resilience.retry("orders", RetryPolicy.defaults()), idempotency.protecting(new OneKey()));

        for (int call = 0; call < 2; call++) {
            assertThat(style.call(orders, time, () -> {
                        if (calls.incrementAndGet() < 3) {
                            throw new ConnectException();
                        }
                        return "result " + calls.get();
                    }))
                    .isEqualTo("result 3");
        }
    }

    @ParameterizedTest
    @EnumSource(CallStyle.class)
    void anAttemptBehindARetryAsksAFallbackAnew(CallStyle style) throws Throwable {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        Fallback fallback = resilience.fallback("orders", ConnectException.class, refused -> {
            asked.incrementAndGet();
            throw new UncheckedIOException(refused);
        });
        Pipeline orders = resilience.outermostFirst(resilience.retry("orders", RetryPolicy.defaults()), fallback);

        Object result = style.call(orders, time, () -> {
            if (calls.incrementAndGet() < 3) {
                throw new ConnectException();
            }
            return "result";
        });

        assertThat(result).isEqualTo("result");
        assertThat(asked).hasValue(2);
        assertThat(fallback.calls().get(FallbackOutcome.FAILURE)).isEqualTo(2);
        assertThat(fallback.calls().get(FallbackOutcome.SUCCESS)).isZero();
    }

    private static Object answered(Pipeline pipeline) throws ConnectException {
        return pipeline.call(() -> {
            throw new ConnectException("refused");
        });
    }
}
