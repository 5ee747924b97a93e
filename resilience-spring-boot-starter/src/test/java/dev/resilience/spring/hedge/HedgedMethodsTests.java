package dev.resilience.spring.hedge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Hedge;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.context.Attempt;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.HedgeOutcome;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.hedge.HedgePolicy;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.retry.RetryBudget;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceTransactionAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class HedgedMethodsTests {

    private static void with(Use use) {
        Applications.plain(Shop.class, Backend.class)
                .withConfiguration(AutoConfigurations.of(ResilienceTransactionAutoConfiguration.class))
                .withPropertyValues(
                        "resilience.hedge.shop.max-extra-load=0.05", "resilience.hedge.free.side-effect-free=true")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.with(
                            context.getBean(Shop.class),
                            context.getBean(Backend.class),
                            context.getBean(ResilienceRegistry.class));
                });
    }

    private interface Use {

        void with(Shop shop, Backend backend, ResilienceRegistry registry) throws Throwable;
    }

    private static long count(ResilienceRegistry registry, String policy, HedgeOutcome outcome) {
        return registry.get(dev.resilience.hedge.Hedge.class, policy).calls().get(outcome);
    }

    /** On manual time the second attempt runs on the thread that lets the time pass: inside the first one. */
    @Test
    void bothAttemptsOfAnIdempotentCallHaveOneKeyAndOneIsStored() {
        with((shop, backend, registry) -> {
            backend.measure(() -> shop.pay("usual" + backend.attempts.size()));
            backend.isSlow = true;

            String receipt = shop.pay("o1");

            assertThat(backend.attempts).hasSize(2);
            assertThat(backend.attempts.get(0))
                    .startsWith("1 ")
                    .endsWith(backend.attempts.get(1).substring(2));
            assertThat(backend.attempts.get(1)).startsWith("2 ");
            assertThat(receipt).isEqualTo("receipt 2");
            assertThat(count(registry, "shop", HedgeOutcome.SECOND_WON)).isEqualTo(1);
            assertThat(shop.pay("o1")).as("replayed").isEqualTo("receipt 2");
            assertThat(backend.attempts).hasSize(2);
            assertThat(registry.idempotency("default").calls().get(IdempotencyOutcome.EXECUTED))
                    .isEqualTo(1_002);
        });
    }

    @Test
    void aCallWithoutAKeyIsNotHedged() {
        with((shop, backend, registry) -> {
            backend.measure(() -> shop.payPerhaps("usual" + backend.attempts.size()));
            backend.isSlow = true;

            shop.payPerhaps(null);
            assertThat(backend.attempts).hasSize(1);

            shop.payPerhaps("o1");
            assertThat(backend.attempts).hasSize(3);
        });
    }

    @Test
    void aFutureIsHedgedWithinItsTimeLimitEach() {
        with((shop, backend, registry) -> {
            backend.measure(() -> shop.future(CompletableFuture.completedFuture("usual")));
            CompletableFuture<String> first = new CompletableFuture<>();
            CompletableFuture<String> second = new CompletableFuture<>();
            backend.next = List.of(first, second);
            CompletableFuture<String> answer = shop.future(null);

            backend.time.advance(Duration.ofSeconds(5));
            assertThat(first).isCancelled(); // by its time limit
            assertThat(answer).isNotDone();
            second.complete("second");

            assertThat(answer).isCompletedWithValue("second");
        });
    }

    @Test
    void aMonoIsHedgedAndTheLosersSubscriptionIsCancelled() {
        with((shop, backend, registry) -> {
            backend.measure(() -> shop.mono(Mono.just("usual")).block());
            Sinks.One<String> answers = Sinks.one();
            AtomicInteger cancelled = new AtomicInteger();
            AtomicInteger subscribed = new AtomicInteger();
            Mono<String> source = Mono.defer(() -> subscribed.incrementAndGet() == 1 ? Mono.never() : answers.asMono());
            List<String> received = new CopyOnWriteArrayList<>();

            shop.mono(source.doOnCancel(cancelled::incrementAndGet)).subscribe(received::add);
            backend.time.advance(Duration.ofSeconds(1));
            assertThat(subscribed).hasValue(2);
            answers.tryEmitValue("second");

            assertThat(received).containsExactly("second");
            assertThat(cancelled).hasValue(1);
            assertThat(count(registry, "free", HedgeOutcome.SECOND_WON)).isEqualTo(1);
        });
    }

    @Test
    void cancellingAMonoCancelsBothSubscriptions() {
        with((shop, backend, registry) -> {
            backend.measure(() -> shop.mono(Mono.just("usual")).block());
            AtomicInteger cancelled = new AtomicInteger();
            Disposable caller = shop.mono(Mono.<String>never().doOnCancel(cancelled::incrementAndGet))
                    .subscribe();
            backend.time.advance(Duration.ofSeconds(1));

            caller.dispose();

            assertThat(cancelled).hasValue(2);
            assertThat(count(registry, "free", HedgeOutcome.UNANSWERED)).isEqualTo(1);
        });
    }

    @Test
    void aCallInsideATransactionOfItsCallerIsNotHedged() {
        with((shop, backend, registry) -> {
            backend.measure(() -> shop.future(CompletableFuture.completedFuture("usual")));
            backend.next = List.of(new CompletableFuture<>(), new CompletableFuture<>());
            TransactionSynchronizationManager.setActualTransactionActive(true);
            try {
                shop.future(null);
            } finally {
                TransactionSynchronizationManager.setActualTransactionActive(false);
            }
            backend.time.advance(Duration.ofSeconds(1));

            assertThat(backend.futures).isEqualTo(1);
        });
    }

    @Test
    void aMonoInAReactiveTransactionOfItsSubscriberIsNotHedged() {
        with((shop, backend, registry) -> {
            backend.measure(() -> shop.mono(Mono.just("usual")).block());
            AtomicInteger subscribed = new AtomicInteger();
            Mono<String> slow = shop.mono(Mono.<String>never().doOnSubscribe(any -> subscribed.incrementAndGet()));
            Disposable call = TransactionalOperator.create(new ReactiveTransactions())
                    .transactional(slow)
                    .subscribe();
            backend.time.advance(Duration.ofSeconds(1));
            call.dispose();

            assertThat(subscribed).hasValue(1);
        });
    }

    private static final class ReactiveTransactions extends AbstractReactiveTransactionManager {

        private static final long serialVersionUID = 1;

        @Override
        protected Object doGetTransaction(
                org.springframework.transaction.reactive.TransactionSynchronizationManager synchronizations) {
            return this;
        }

        @Override
        protected Mono<Void> doBegin(
                org.springframework.transaction.reactive.TransactionSynchronizationManager synchronizations,
                Object transaction,
                TransactionDefinition how) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doCommit(
                org.springframework.transaction.reactive.TransactionSynchronizationManager synchronizations,
                GenericReactiveTransaction status) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doRollback(
                org.springframework.transaction.reactive.TransactionSynchronizationManager synchronizations,
                GenericReactiveTransaction status) {
            return Mono.empty();
        }
    }

    @Test
    void theRetryBudgetOfItsNameLimitsItToo() {
        with((shop, backend, registry) -> {
            backend.measure(() -> shop.future(CompletableFuture.completedFuture("usual")));
            RetryBudget budget = registry.retryBudget("free");
            long left = budget.available();
            while (budget.tryAcquire()) {
                left--;
            }
            assertThat(left).isZero();
            backend.next = List.of(new CompletableFuture<>(), new CompletableFuture<>());
            CompletableFuture<String> answer = shop.future(null);
            backend.time.advance(Duration.ofMillis(60));
            assertThat(backend.futures).isEqualTo(1);
            backend.next.get(0).complete("first");

            assertThat(answer).isCompletedWithValue("first");
            assertThat(count(registry, "free", HedgeOutcome.BUDGET_EXHAUSTED)).isEqualTo(1);
        });
    }

    @Test
    void theLoadCanChangeWhileTheApplicationRuns() {
        with((shop, backend, registry) -> {
            dev.resilience.hedge.Hedge hedge = registry.get(dev.resilience.hedge.Hedge.class, "free");
            hedge.reconfigure(HedgePolicy.builder()
                    .minimumDelay(Duration.ofSeconds(1))
                    .sideEffectFree(true)
                    .build());
            backend.measure(() -> shop.future(CompletableFuture.completedFuture("usual")));

            assertThat(hedge.delay()).isEqualTo(Duration.ofSeconds(1));
            assertThatThrownBy(() -> hedge.reconfigure(HedgePolicy.defaults()))
                    .isInstanceOf(InvalidPolicyException.class)
                    .hasMessageContaining("side-effect-free");
        });
    }

    static class Backend {

        final List<String> attempts = new CopyOnWriteArrayList<>();
        final ManualTimeSource time;
        boolean isSlow;
        List<CompletableFuture<String>> next = List.of();
        int futures;

        Backend(ManualTimeSource time) {
            this.time = time;
        }

        void measure(Runnable call) {
            for (int i = 0; i < 1_000; i++) {
                call.run();
            }
            time.advance(Duration.ofSeconds(3));
            call.run();
            futures = 0;
            attempts.clear();
        }

        String receipt() {
            Attempt attempt = Attempt.current();
            int number = attempt == null ? 1 : attempt.number();
            attempts.add(number + " " + IdempotencyContext.downstreamKeyOrNew());
            if (isSlow && number == 1) {
                time.advance(Duration.ofSeconds(1));
            }
            return "receipt " + number;
        }
    }

    static class Shop {

        private final Backend backend;

        Shop(Backend backend) {
            this.backend = backend;
        }

        @Hedge("shop")
        @Idempotent(key = "#order")
        public String pay(String order) {
            return backend.receipt();
        }

        @Hedge("shop")
        @Idempotent(key = "#order", required = false)
        public String payPerhaps(String order) {
            return backend.receipt();
        }

        @Hedge("free")
        @TimeLimit
        public CompletableFuture<String> future(CompletableFuture<String> usual) {
            return usual == null ? backend.next.get(backend.futures++) : usual;
        }

        @Hedge("free")
        public Mono<String> mono(Mono<String> source) {
            return source;
        }
    }
}
