package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.context.Deadline;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.tck.ForwardingStore;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import dev.resilience.time.TimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** What surrounds a replay: nothing of the operator who asks for it. */
class ReplayContextTests {

    static class Carrier {

        @CircuitBreaker("carrier")
        public void carry() {}
    }

    static class Shop {

        private final List<@Nullable Object> surroundings = new ArrayList<>();
        private Runnable onOrder = () -> {};

        @Autowired
        Callee callee;

        @Autowired
        Carrier carrier;

        @Retryable("kept")
        public void order(String id) throws ConnectException {
            surroundings.clear();
            surroundings.add(SecurityContextHolder.getContext().getAuthentication());
            surroundings.add(RequestContextHolder.getRequestAttributes());
            surroundings.add(MDC.get("request"));
            surroundings.add(Deadline.current());
            surroundings.add(TransactionSynchronizationManager.isSynchronizationActive() ? "transaction" : null);
            surroundings.add(
                    Thread.currentThread().getContextClassLoader() == getClass().getClassLoader() ? null : "loader");
            callee.call();
        }

        @Retryable("kept")
        public void orderAndCarry(String id) throws ConnectException {
            callee.call();
            carrier.carry();
        }

        @Idempotent(key = "#id")
        @Retryable("kept")
        public void orderOnce(String id) throws ConnectException {
            onOrder.run();
            callee.call();
        }

        public void onOrder(Runnable action) {
            onOrder = action;
        }

        public List<@Nullable Object> surroundings() {
            return surroundings;
        }
    }

    private static ApplicationContextRunner application() {
        return Applications.plain(Shop.class, Carrier.class)
                .withPropertyValues(
                        "resilience.retry.kept.dead-letter=true",
                        "resilience.circuit-breaker.carrier.initial-state=forced-open",
                        "resilience.dead-letter-store.type=memory");
    }

    private static Replayed replay(ApplicationContext context) {
        DeadLetters letters = context.getBean(LiveRegistry.class)
                .<KeepingRetry>ofKind("retry")
                .get("kept")
                .letters();
        String id = letters.list(1).get(0).letter().id();
        return Objects.requireNonNull(letters.replay(id, context.getBean(DeadLetterMethods.class)));
    }

    private static void lose(ApplicationContext context, Call call) {
        context.getBean(Callee.class).failNext(3);
        assertThatThrownBy(() -> call.of(context.getBean(Shop.class))).isInstanceOf(ConnectException.class);
    }

    /** A call of the shop. */
    @FunctionalInterface
    interface Call {

        void of(Shop shop) throws ConnectException;
    }

    @Test
    void aReplayHasNothingOfTheThreadThatAsksForIt() {
        application().run(context -> {
            lose(context, shop -> shop.order("A"));
            SecurityContextHolder.getContext()
                    .setAuthentication(new TestingAuthenticationToken("operator", "", "ADMIN"));
            RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
            MDC.put("request", "of the operator");
            TransactionSynchronizationManager.initSynchronization();
            try {
                Replayed replayed = Deadline.in(Duration.ofMinutes(1)).call(() -> replay(context));

                assertThat(replayed.result()).isEqualTo(Replayed.Result.SUCCEEDED);
            } finally {
                TransactionSynchronizationManager.clearSynchronization();
                MDC.remove("request");
                RequestContextHolder.resetRequestAttributes();
                SecurityContextHolder.clearContext();
            }
            assertThat(context.getBean(Shop.class).surroundings()).hasSize(6).containsOnlyNulls();
        });
    }

    @Test
    void aRefusalByABreakerInsideOfTheMethodIsAFailureBecauseTheMethodWasCalled() {
        application().run(context -> {
            lose(context, shop -> shop.orderAndCarry("A"));

            Replayed replayed = replay(context);

            assertThat(replayed.failure()).isInstanceOf(CircuitOpenException.class);
            assertThat(replayed.result()).isEqualTo(Replayed.Result.FAILED);
            assertThat(context.getBean(Callee.class).calls()).isEqualTo(4);
        });
    }

    /** The second order has the retry outside, so that it does begin. */
    @ParameterizedTest
    @ValueSource(
            strings = {"idempotent, bulkhead, circuit-breaker, retry", "retry, idempotent, bulkhead, circuit-breaker"})
    void aReplayWhoseMethodWasNotCalledDoesNotCountHoweverOftenItComes(String order) {
        application()
                .withBean(IdempotencyStore.class, StoppableStore::new)
                .withPropertyValues("resilience.order=" + order + ", time-limit")
                .run(context -> {
                    StoppableStore store = context.getBean(StoppableStore.class);
                    lose(context, shop -> shop.orderOnce("A"));
                    store.isDown = true;

                    for (int i = 0; i < 12; i++) {
                        Replayed replayed = replay(context);
                        assertThat(replayed.failure()).isInstanceOf(IdempotencyStoreException.class);
                        assertThat(replayed.result()).isEqualTo(Replayed.Result.NOT_MADE);
                    }

                    assertThat(context.getBean(Callee.class).calls()).isEqualTo(3);
                    store.isDown = false;
                    assertThat(replay(context).result()).isEqualTo(Replayed.Result.SUCCEEDED);
                });
    }

    /** The store is down for the second attempt alone: the first has called the method. */
    @Test
    void aReplayWhoseMethodWasCalledOnceCountsThoughTheLastAttemptWasRefused() {
        application()
                .withBean(IdempotencyStore.class, StoppableStore::new)
                .withPropertyValues(
                        "resilience.order=retry, idempotent, bulkhead, circuit-breaker, time-limit",
                        "resilience.retry.kept.retry-on=java.lang.Exception")
                .run(context -> {
                    StoppableStore store = context.getBean(StoppableStore.class);
                    lose(context, shop -> shop.orderOnce("A"));
                    context.getBean(Shop.class).onOrder(() -> store.isDown = true);
                    context.getBean(Callee.class).failNext(1);

                    Replayed replayed = replay(context);

                    assertThat(replayed.failure()).isInstanceOf(IdempotencyStoreException.class);
                    assertThat(replayed.result()).isEqualTo(Replayed.Result.FAILED);
                });
    }

    private static final class StoppableStore extends ForwardingStore {

        private volatile boolean isDown;

        StoppableStore() {
            super(new MemoryIdempotencyStore(TimeSource.system()));
        }

        @Override
        public Claim claim(ClaimRequest request) {
            if (isDown) {
                throw new IllegalStateException("down");
            }
            return super.claim(request);
        }
    }
}
