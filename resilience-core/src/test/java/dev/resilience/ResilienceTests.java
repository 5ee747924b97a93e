package dev.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.RetryScheduled;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.fault.Fault;
import dev.resilience.fault.HttpFailure;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.pipeline.ThrowingRunnable;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ResilienceTests {

    /** A call whose callee is down. */
    static final ThrowingRunnable<ConnectException> REFUSED = () -> {
        throw new ConnectException("refused");
    };

    private final ManualTimeSource time = new ManualTimeSource();
    private final List<ResilienceEvent> all = new ArrayList<>();
    private final Resilience resilience =
            Resilience.builder().timeSource(time).listener(all::add).build();

    @AfterEach
    void close() {
        resilience.close();
    }

    @Nested
    class Names {

        @Test
        void theSameNameAndPolicyAreTheSameObject() {
            assertThat(resilience.retry("payments", RetryPolicy.defaults()))
                    .isSameAs(resilience.retry("payments", RetryPolicy.defaults()));
            assertThat(resilience.circuitBreaker("payments", CircuitBreakerPolicy.defaults()))
                    .isSameAs(resilience.circuitBreaker("payments", CircuitBreakerPolicy.defaults()));
            assertThat(resilience.bulkhead("payments", BulkheadPolicy.defaults()))
                    .isSameAs(resilience.bulkhead("payments", BulkheadPolicy.defaults()));
            assertThat(resilience.timeLimit("payments", TimeLimitPolicy.defaults()))
                    .isSameAs(resilience.timeLimit("payments", TimeLimitPolicy.defaults()));
            assertThat(resilience.retryBudget("payments", RetryBudgetPolicy.defaults()))
                    .isSameAs(resilience.retryBudget("payments", RetryBudgetPolicy.defaults()));
            MemoryIdempotencyStore store = new MemoryIdempotencyStore(time);
            assertThat(resilience.idempotency("payments", IdempotencyPolicy.defaults(), store))
                    .isSameAs(resilience.idempotency("payments", IdempotencyPolicy.defaults(), store));
        }

        @Test
        void aNameThatIsTakenByAnotherPolicyIsRefused() {
            resilience.bulkhead("payments", BulkheadPolicy.defaults());
            BulkheadPolicy other = BulkheadPolicy.builder().maxConcurrent(3).build();

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> resilience.bulkhead("payments", other))
                    .withMessageContainingAll("bulkhead 'payments'", "maxConcurrent=10", "maxConcurrent=3");
        }

        @Test
        void aChangedPolicyKeepsTheNameThatItsObjectWasMadeUnder() {
            CircuitBreaker made = resilience.circuitBreaker("payments", CircuitBreakerPolicy.defaults());
            made.reconfigure(CircuitBreakerPolicy.builder().failureThreshold(9).build());

            assertThat(resilience.circuitBreaker("payments", CircuitBreakerPolicy.defaults()))
                    .isSameAs(made);
        }

        @Test
        void anotherRuleForResultsIsAnotherRetry() {
            Predicate<Object> rule = Objects::isNull;
            RetryPolicy.Builder policy = RetryPolicy.builder().retryOnResult(rule);
            Retry retry = resilience.retry("payments", policy.build());

            assertThat(resilience.retry("payments", policy.build())).isSameAs(retry);
            assertThatIllegalArgumentException().isThrownBy(() -> resilience.retry("payments", RetryPolicy.defaults()));
        }
    }

    @Nested
    class Budgets {

        @Test
        void aRetryHasABudgetOfItsOwnName() {
            Retry retry = resilience.retry("payments", RetryPolicy.defaults());

            assertThat(retry.budget()).isSameAs(resilience.retryBudget("payments", RetryBudgetPolicy.defaults()));
        }

        @Test
        void aBudgetThatWasMadeBeforeIsTheOneOfTheRetryOfItsName() {
            RetryBudgetPolicy small = new RetryBudgetPolicy(0, Duration.ofSeconds(1), 1);
            resilience.retryBudget("payments", small);

            assertThat(Objects.requireNonNull(resilience
                                    .retry("payments", RetryPolicy.defaults())
                                    .budget())
                            .policy())
                    .isEqualTo(small);
        }

        @Test
        void retriesThatNameABudgetShareIt() {
            RetryPolicy shared = RetryPolicy.builder().budget("gateway").build();
            resilience.retryBudget("gateway", RetryBudgetPolicy.defaults());

            assertThat(resilience.retry("payments", shared).budget())
                    .isSameAs(resilience.retry("refunds", shared).budget())
                    .isNotNull();
        }

        @Test
        void aBudgetThatDoesNotExistIsRefused() {
            RetryPolicy shared = RetryPolicy.builder().budget("gatway").build();

            assertThatExceptionOfType(InvalidPolicyException.class)
                    .isThrownBy(() -> resilience.retry("payments", shared))
                    .withMessageContainingAll("gatway", "retryBudget");
        }

        @Test
        void noneIsNoBudget() {
            RetryPolicy none =
                    RetryPolicy.builder().budget(RetryPolicy.NO_BUDGET).build();

            assertThat(resilience.retry("payments", none).budget()).isNull();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> resilience.retryBudget("none", RetryBudgetPolicy.defaults()));
        }
    }

    @Nested
    class Events {

        @Test
        void aListenerHearsOfItsTypeAlone() {
            List<CircuitState> states = new ArrayList<>();
            resilience.onEvent(CircuitStateChanged.class, change -> states.add(change.to()));
            CircuitBreaker breaker = resilience.circuitBreaker("payments", CircuitBreakerPolicy.defaults());
            Pipeline payments = resilience
                    .pipeline("payments")
                    .circuitBreaker(breaker)
                    .retry(RetryPolicy.defaults())
                    .build();

            assertThatThrownBy(() -> payments.run(REFUSED)).isInstanceOf(ConnectException.class);
            breaker.forceOpen();

            assertThat(states).containsExactly(CircuitState.FORCED_OPEN);
            assertThat(all).hasAtLeastOneElementOfType(RetryScheduled.class);
        }
    }

    @Nested
    class Failures {

        @Test
        void theClassifierIsAskedFirst() {
            AtomicInteger attempts = new AtomicInteger();
            try (Resilience patient = Resilience.builder()
                    .timeSource(time)
                    .classifier(failure -> Fault.TRANSIENT)
                    .build()) {
                assertThatThrownBy(() -> patient.pipeline("payments")
                                .retry(RetryPolicy.defaults())
                                .build()
                                .run(() -> {
                                    attempts.incrementAndGet();
                                    throw new IllegalArgumentException();
                                }))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(attempts).hasValue(3);
        }

        @Test
        void anHttpReaderFindsWhatTheServerSaid() throws IOException {
            try (Resilience http = Resilience.builder()
                    .timeSource(time)
                    .httpFailures(failure -> failure instanceof IOException ? new HttpFailure(503, "7") : null)
                    .build()) {
                AtomicInteger attempts = new AtomicInteger();
                String answer = http.pipeline("payments")
                        .retry(RetryPolicy.defaults())
                        .build()
                        .call(() -> {
                            if (attempts.incrementAndGet() == 1) {
                                throw new IOException("503");
                            }
                            return "paid";
                        });

                assertThat(answer).isEqualTo("paid");
                assertThat(time.elapsed()).isGreaterThanOrEqualTo(Duration.ofSeconds(7));
            }
        }
    }

    @Test
    void anOrderOfOnesOwnBeginsWithTheOutermost() {
        CircuitBreaker breaker = resilience.circuitBreaker(
                "payments", CircuitBreakerPolicy.builder().failureThreshold(1).build());
        Retry retry = resilience.retry("payments", RetryPolicy.defaults());
        AtomicInteger attempts = new AtomicInteger();

        assertThatThrownBy(() -> resilience.outermostFirst(retry, breaker).run(() -> {
                    attempts.incrementAndGet();
                    REFUSED.run();
                }))
                .isInstanceOf(CircuitOpenException.class);
        assertThat(attempts).as("the second attempt finds the circuit open").hasValue(1);
    }

    @Test
    void itsCarrierBringsWhatIsBoundToTheCallersThread() {
        ThreadLocal<String> user = new ThreadLocal<>();
        try (Resilience carrying = Resilience.builder()
                .timeSource(time)
                .carrier(task -> {
                    String caller = user.get();
                    return () -> {
                        user.set(caller);
                        task.run();
                    };
                })
                .build()) {
            user.set("ada");
            List<String> seen = new ArrayList<>();
            CompletableFuture<Object> answer = carrying.pipeline("payments")
                    .retry(RetryPolicy.builder().maxAttempts(2).build())
                    .build()
                    .callAsync(() -> {
                        seen.add(user.get());
                        return CompletableFuture.failedFuture(new ConnectException());
                    });
            user.set("another");
            time.advance(Duration.ofMinutes(1));

            assertThat(answer).isCompletedExceptionally();
            assertThat(seen).hasSize(2).containsOnly("ada");
        }
    }

    @Test
    void whatIsMadeAfterClosingDoesNotWait() {
        resilience.close();
        Pipeline late =
                resilience.pipeline("late").retry(RetryPolicy.defaults()).build();
        CompletableFuture<Object> answer =
                late.callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));

        assertThat(answer)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("refused");
    }

    @Test
    void closingEndsTheWaits() {
        CompletableFuture<Object> waiting = resilience
                .pipeline("payments")
                .retry(RetryPolicy.defaults())
                .build()
                .callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));
        assertThat(waiting).isNotDone();

        resilience.close();
        resilience.close();

        assertThat(waiting)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("refused");
    }
}
