package dev.resilience.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.fallback.Fallback;
import dev.resilience.fallback.FallbackMethod;
import dev.resilience.pipeline.InContext;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.TimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On the system's time, where a call really goes on with other threads. */
class CallContextTests {

    private static final Executor OTHER_THREAD = action -> new Thread(action).start();
    private static final Duration LONG = Duration.ofSeconds(30);

    private final CallContext context =
            new CallContext(Deadline.in(Duration.ofHours(1)), Attempt.of("a caller", 4, null));
    private final InContext caller = new InContext(context);
    private final List<CallContext> seen = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void nothingStaysOnTheThread() {
        assertThat(CallContext.current()).isEqualTo(new CallContext(null, null));
    }

    @Test
    void isOnTheThreadWhileAnActionRunsInIt() {
        context.run(() -> seen.add(CallContext.current()));

        assertThat(seen).containsExactly(context);
    }

    @Test
    void goesWithARetryToTheThreadOfTheNextAttempt() {
        Backoff soon = new Backoff(Backoff.Strategy.FIXED, Duration.ofMillis(1), 1, LONG, Jitter.NONE, 0);
        Retry retry = Resilience.create()
                .retry("orders", RetryPolicy.builder().backoff(soon).build());
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());

        CompletableFuture<String> answer = Pipeline.of(caller, retry).callAsync(() -> {
            threads.add(Thread.currentThread());
            seen.add(CallContext.current());
            return failingOnAnotherThread();
        });

        assertThat(answer).failsWithin(LONG);
        assertThat(threads.subList(1, 3)).as("threads").doesNotContain(Thread.currentThread());
        assertThat(seen)
                .extracting(CallContext::deadline)
                .containsOnly(context.deadline())
                .hasSize(3);
        assertThat(seen).extracting(now -> now.attempt().by()).containsOnly("retry 'orders'");
    }

    @Test
    void goesWithACallInLineToTheThreadThatRunsIt() {
        Bulkhead bulkhead = Resilience.create()
                .bulkhead("orders", BulkheadPolicy.builder().maxConcurrent(1).build());
        CompletableFuture<String> first = new CompletableFuture<>();
        CallContext another = new CallContext(Deadline.in(Duration.ofDays(1)), null);
        Pipeline.of(new InContext(another), bulkhead).callAsync(() -> first);

        CompletableFuture<String> second = Pipeline.of(caller, bulkhead).callAsync(noting("second"));
        another.run(() -> first.complete("first"));

        assertThat(second).succeedsWithin(LONG);
        assertThat(seen).containsExactly(context);
    }

    @Test
    void isThereForAFallbackOnTheThreadOfTheFailure() {
        Fallback fallback = new Fallback(
                "orders",
                new FallbackMethod() {
                    @Override
                    public boolean answers(Throwable failure) {
                        return true;
                    }

                    @Override
                    public Object answer(Invocation invocation, Throwable failure) {
                        return noting("fallback").get();
                    }
                },
                TimeSource.system());

        CompletableFuture<String> answer =
                Pipeline.of(caller, fallback).callAsync(CallContextTests::failingOnAnotherThread);

        assertThat(answer).succeedsWithin(LONG);
        assertThat(seen).containsExactly(context);
    }

    @Test
    void isNotForWhatOthersDoWhenTheCallEnds() {
        Bulkhead bulkhead = Resilience.create()
                .bulkhead("orders", BulkheadPolicy.builder().maxConcurrent(1).build());
        Retry retry = Resilience.create().retry("orders", RetryPolicy.defaults());
        CompletableFuture<String> body = new CompletableFuture<>();
        CallContext ofThread = new CallContext(Deadline.in(Duration.ofDays(1)), null);

        CompletableFuture<String> answer = Pipeline.of(caller, retry, bulkhead).callAsync(() -> body);
        CompletableFuture<Boolean> others = answer.thenApply(result -> seen.add(CallContext.current()));
        ofThread.run(() -> {
            body.complete("done");
            seen.add(CallContext.current());
        });

        assertThat(others).isCompletedWithValue(true);
        assertThat(seen).containsExactly(ofThread, ofThread);
    }

    @Test
    void isNotForThemEitherIfTheCallEndsAfterAWait() {
        Backoff soon = new Backoff(Backoff.Strategy.FIXED, Duration.ofMillis(50), 1, LONG, Jitter.NONE, 0);
        Retry retry = Resilience.create()
                .retry(
                        "orders",
                        RetryPolicy.builder().maxAttempts(2).backoff(soon).build());

        CompletableFuture<String> answer = Pipeline.of(caller, retry)
                .callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));
        CompletableFuture<Boolean> others = answer.handle((result, failure) -> seen.add(CallContext.current()));

        assertThat(others).succeedsWithin(LONG);
        assertThat(seen).containsExactly(CallContext.NONE);
    }

    private Supplier<CompletionStage<String>> noting(String result) {
        return () -> {
            seen.add(CallContext.current());
            return CompletableFuture.completedFuture(result);
        };
    }

    private static CompletionStage<String> failingOnAnotherThread() {
        return CompletableFuture.supplyAsync(
                () -> {
                    throw new CompletionException(new ConnectException("refused"));
                },
                OTHER_THREAD);
    }
}
