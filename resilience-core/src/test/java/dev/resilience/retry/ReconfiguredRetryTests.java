package dev.resilience.retry;

import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static dev.resilience.retry.RetryBench.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.retry.RetryBench.HttpError;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class ReconfiguredRetryTests {

    private final RetryBench bench;
    private final ConnectException refused = new ConnectException();

    ReconfiguredRetryTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @Test
    void callsThatBeginThenGoByTheNewPolicy() throws Throwable {
        Retry retry = bench.retry(policy().maxAttempts(1));
        RetryPolicy changed = policy().maxAttempts(2)
                .backoff(RetryBench.fixed(Duration.ofSeconds(5)))
                .retryOn(List.of(IOException.class))
                .retryOnStatus(Set.of(404))
                .build();

        retry.reconfigure(changed);

        assertThat(retry.policy()).isSameAs(changed);
        assertThat(bench.call(retry, fails(new IOException()), returns("done"))).isEqualTo("done");
        assertThat(bench.attempts).containsExactly(seconds(0, 5));
        assertThat(bench.call(retry, fails(new HttpError(404, null)), returns("done")))
                .isEqualTo("done");
        assertThat(bench.call(retry.forIdempotentCalls(), fails(new HttpError(500, null)), returns("done")))
                .isEqualTo("done");
        assertThat(retry.calls().total()).isEqualTo(3);
    }

    @Test
    void aCallUnderWayEndsByTheOneThatItBeganWith() {
        Retry retry = bench.retry(policy().maxAttempts(2));
        Invocation changes = () -> {
            retry.reconfigure(policy().maxAttempts(1).build());
            throw refused;
        };

        assertThat(catchThrowable(() -> bench.call(retry, changes, fails(refused))))
                .isSameAs(refused);
        assertThat(bench.attempts).containsExactly(seconds(0, 1));

        bench.attempts.clear();
        assertThat(catchThrowable(() -> bench.call(retry, fails(refused)))).isSameAs(refused);
        assertThat(bench.attempts).hasSize(1);
    }

    @Test
    void whatIsGivenAsCodeChangesToo() throws Throwable {
        bench.retryOnResult = "pending"::equals;
        Retry retry = bench.retry(policy());

        retry.reconfigure(policy().retryIf(failure -> failure instanceof IllegalStateException)
                .build());

        assertThat(bench.call(retry, fails(new IllegalStateException()), returns("pending")))
                .isEqualTo("pending");
    }

    @Test
    void anotherBudgetIsRefused() {
        Retry retry = bench.retry(policy());

        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() -> retry.reconfigure(policy().budget("shared").build()))
                .satisfies(refusal -> assertThat(refusal.key()).isEqualTo("budget"));
        retry.reconfigure(policy().budget(RetryBench.NAME).build()); // it was this one before

        assertThat(retry.policy().budget()).isEqualTo(RetryBench.NAME);
    }

    @Test
    void aBudgetAllowsMoreOrFewerRetriesAndKeepsWhatItCounted() {
        RetryBudgetPolicy one = new RetryBudgetPolicy(0, Duration.ofSeconds(1), 1);
        RetryBudget budget = new RetryBudget("shared", one, bench.time);
        assertThat(budget.tryAcquire()).isTrue();
        assertThat(budget.tryAcquire()).isFalse();

        budget.reconfigure(new RetryBudgetPolicy(0.5, Duration.ofSeconds(1), 3));
        assertThat(budget.available()).isEqualTo(2);
        budget.firstAttemptEnded();
        budget.firstAttemptEnded();
        assertThat(budget.available()).isEqualTo(3);

        budget.reconfigure(one);
        assertThat(budget.policy()).isSameAs(one);
        assertThat(budget.available()).isOne();
        assertThat(budget.tryAcquire()).isTrue();
        assertThat(budget.available()).isZero();
    }

    @Test
    void anotherWindowOfABudgetIsRefused() {
        RetryBudget budget = new RetryBudget("shared", RetryBudgetPolicy.defaults(), bench.time);

        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() -> budget.reconfigure(RetryBudgetPolicy.builder()
                        .window(Duration.ofSeconds(3))
                        .build()))
                .satisfies(refusal -> assertThat(refusal.key()).isEqualTo("window"));
        assertThat(budget.policy()).isEqualTo(RetryBudgetPolicy.defaults());
    }
}
