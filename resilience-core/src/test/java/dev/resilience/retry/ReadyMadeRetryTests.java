package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.SUCCESS_AFTER_RETRY;
import static dev.resilience.retry.RetryBench.assertCounted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.Resilience;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.InvalidPolicyException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A retry of an application without Spring, on the system's time. */
@Timeout(60)
class ReadyMadeRetryTests {

    private final RetryPolicy soon = RetryPolicy.builder()
            .backoff(RetryBench.fixed(Duration.ofMillis(2)))
            .build();

    @Test
    void itRetriesCallsAndHasABudgetOfItsOwn() throws Exception {
        Retry retry = Resilience.create().retry("orders", soon);

        assertThat(Pipeline.of(retry).call(failingOnce()::call)).isEqualTo("result");

        assertCounted(retry, SUCCESS_AFTER_RETRY);
        assertThat(retry.name()).isEqualTo("orders");
        assertThat(retry.policy()).isSameAs(soon);
        assertThat(retry.budget()).isNotNull();
        assertThat(retry.budget().name()).isEqualTo("orders");
        assertThat(retry.budget().policy()).isEqualTo(RetryBudgetPolicy.defaults());
    }

    @Test
    void itRetriesAsynchronousCalls() throws Exception {
        Retry retry = Resilience.create().retry("orders", soon);
        Callable<String> body = failingOnce();

        Object result = Pipeline.of(retry)
                .invokeAsync(() -> CompletableFuture.completedFuture(body.call()))
                .get(30, TimeUnit.SECONDS);

        assertThat(result).isEqualTo("result");
        assertCounted(retry, SUCCESS_AFTER_RETRY);
    }

    @Test
    void itHasNoBudgetWhereThePolicyWantsNone() {
        RetryPolicy free = RetryPolicy.builder().budget(RetryPolicy.NO_BUDGET).build();

        assertThat(Resilience.create().retry("orders", free).budget()).isNull();
    }

    @Test
    void itRefusesWhatItCannotKnow() {
        assertRefused(
                "budget",
                () -> Resilience.create()
                        .retry("orders", RetryPolicy.builder().budget("shared").build()));
    }

    private static void assertRefused(String key, ThrowingCallable retry) {
        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(retry)
                .satisfies(refusal -> assertThat(refusal.key()).isEqualTo(key));
    }

    private static Callable<String> failingOnce() {
        Iterator<Callable<String>> attempts = List.<Callable<String>>of(
                        () -> {
                            throw new ConnectException("refused");
                        },
                        () -> "result")
                .iterator();
        return () -> attempts.next().call();
    }
}
