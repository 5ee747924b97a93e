package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.time.ManualTimeSource;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.observers.TestObserver;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.net.ConnectException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Methods that return types of RxJava, of Mutiny and of the JDK, as {@code Mono} and {@code Flux} otherwise. */
class AdaptedTypesTests {

    private static final List<Class<?>> TYPES = List.of(
            Single.class,
            Maybe.class,
            Completable.class,
            Observable.class,
            Flowable.class,
            Uni.class,
            Multi.class,
            Flow.Publisher.class,
            Publisher.class);

    private final ApplicationContextRunner runner = Applications.plain(Shop.class, Payments.class)
            .withConfiguration(SortedOnce.of(JacksonAutoConfiguration.class))
            .withPropertyValues(
                    "resilience.bulkhead.shop.max-concurrent=1",
                    "resilience.circuit-breaker.shop.failure-threshold=0",
                    "resilience.circuit-breaker.shop.failure-rate-threshold=0",
                    "resilience.retry.poll.retry-on-result=#result == 'pending'",
                    "resilience.time-limit.shop.timeout=10s");

    @Test
    void subscriptionIsTheCallAndAnAttemptCallsTheMethodAgain() {
        ofEachType((call, context) -> {
            AtomicInteger attempts = new AtomicInteger();
            Publisher<Object> protectedCall = call.of(() ->
                    attempts.incrementAndGet() % 3 == 0 ? Mono.just("a") : Mono.error(new ConnectException("down")));
            assertThat(attempts).hasValue(0);
            for (int subscriptions = 1; subscriptions <= 2; subscriptions++) {
                StepVerifier.create(protectedCall)
                        .then(() -> context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(3)))
                        .expectNextCount(call.adapter.isNoValue() ? 0 : 1)
                        .verifyComplete();
                assertThat(attempts).hasValue(3 * subscriptions);
                assertThat(call.counted(CircuitBreakerOutcome.SUCCESS)).isEqualTo(subscriptions);
            }
        });
    }

    @Test
    void failuresReachTheSubscriber() {
        ofEachType((call, context) -> {
            StepVerifier.create(call.of(() -> Mono.error(new IllegalArgumentException("bad"))))
                    .verifyErrorMessage("bad");
            StepVerifier.create(call.of(() -> {
                        throw new IllegalArgumentException("thrown");
                    }))
                    .verifyErrorMessage("thrown");
            StepVerifier.create(call.of(() -> null)).verifyError(NullPointerException.class);
        });
    }

    @Test
    void cancellationReachesTheMethodsPublisherAndFreesThePermit() {
        ofEachType((call, context) -> {
            AtomicInteger cancelled = new AtomicInteger();
            StepVerifier.create(call.of(() -> Mono.never().doOnCancel(cancelled::incrementAndGet)))
                    .then(() -> assertThat(running(context)).isEqualTo(1))
                    .thenCancel()
                    .verify();
            assertThat(cancelled).hasValue(1);
            assertThat(call.counted(CircuitBreakerOutcome.IGNORED)).isEqualTo(1);
        });
    }

    @Test
    void whatDoesNotAnswerTimesOut() {
        ofEachType((call, context) -> StepVerifier.create(call.of(Mono::never))
                .then(() -> context.getBean(ManualTimeSource.class).advance(Duration.ofHours(1)))
                .verifyError(TimeLimitExceededException.class));
    }

    @Test
    void emptinessIsNoFailureWhereTheTypeAllowsIt() {
        ofEachType((call, context) -> {
            if (call.adapter.supportsEmpty()) {
                StepVerifier.create(call.of(Mono::empty)).verifyComplete();
                assertThat(call.counted(CircuitBreakerOutcome.SUCCESS)).isEqualTo(1);
            }
        });
    }

    @Test
    void streamsComeAsTheyAreRequestedAndAreCancelled() {
        ofEachType((call, context) -> {
            if (!call.adapter.isMultiValue()) {
                return;
            }
            StepVerifier.create(call.of(() -> Flux.just("a", "b", "c")), 1)
                    .expectNext("a")
                    .thenRequest(2)
                    .expectNext("b", "c")
                    .verifyComplete();
            StepVerifier.create(
                            Flux.from(call.of(() -> Flux.just("a", "b", "c"))).take(2))
                    .expectNext("a", "b")
                    .verifyComplete();
        });
    }

    @Test
    void callersGetTheirOwnTypes() {
        with(Shop.class, (shop, context) -> {
            shop.single(() -> Mono.just("a")).test().assertResult("a");
            shop.observable(() -> Flux.just("a", "b")).test().assertResult("a", "b");
            assertThat(shop.uni(Mono::empty).await().indefinitely()).isNull();
            TestObserver<Void> gone = shop.completable(Mono::never).test();
            gone.dispose();
            assertThat(running(context)).isZero();
        });
    }

    @Test
    void resultsAreLookedAt() {
        with(Shop.class, (shop, context) -> {
            AtomicInteger polls = new AtomicInteger();
            TestObserver<String> polled = shop.polled(polls).test();
            context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(3));
            polled.assertResult("done");
            assertThat(polls).hasValue(3);
        });
    }

    @Test
    void fallbacksAnswerWithTheTypeOrAValue() {
        with(Shop.class, (shop, context) -> {
            shop.withSingle().test().assertResult("single later");
            shop.withValue().test().assertResult("value later");
            assertThat(shop.withMulti().collect().asList().await().indefinitely())
                    .containsExactly("multi", "later");
            shop.withCompletable().test().assertResult();
            shop.withNull().test().assertError(NullPointerException.class);
            shop.withThrown().test().assertFailure(IllegalStateException.class);
        });
    }

    @Test
    void aFallbackThatIsItselfProtectedIsACallOfItsOwn() {
        with(Shop.class, (shop, context) -> {
            Payments payments = context.getBean(Payments.class);
            TestObserver<String> answered = shop.withProtected().test();
            context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(3));
            answered.assertResult("attempt 3");
            assertThat(payments.calls()).hasValue(3);
        });
    }

    /** Results of Single, Maybe, Completable and Uni. */
    @ParameterizedTest
    @EnumSource
    void resultsOfIdempotentMethodsAreKeptAndReplayed(Payment payment) {
        with(Payments.class, (payments, context) -> {
            Object first = payment.pay(payments);
            assertThat(payment.pay(payments)).isEqualTo(first);
            assertThat(payments.calls()).hasValue(1);
        });
    }

    enum Payment {
        SINGLE {
            @Override
            Object pay(Payments payments) {
                return payments.single("k").blockingGet();
            }
        },
        MAYBE {
            @Override
            Object pay(Payments payments) {
                return payments.maybe("k").isEmpty().blockingGet();
            }
        },
        COMPLETABLE {
            @Override
            Object pay(Payments payments) {
                payments.completable("k").blockingAwait();
                return "completed";
            }
        },
        UNI {
            @Override
            Object pay(Payments payments) {
                return payments.uni("k").await().indefinitely();
            }
        };

        abstract Object pay(Payments payments);
    }

    private <B> void with(Class<B> bean, Use<B> use) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            use.with(context.getBean(bean), context);
            assertThat(running(context)).as("permits").isZero();
        });
    }

    private void ofEachType(CallUse use) {
        with(Shop.class, (shop, context) -> {
            for (Class<?> type : TYPES) {
                Call call = new Call(shop, type, context.getBean(ResilienceRegistry.class));
                assertAll(type.getName(), () -> use.with(call, context));
            }
        });
    }

    private static int running(ApplicationContext context) {
        return context.getBean(ResilienceRegistry.class).bulkheads().get("shop").running();
    }

    interface Use<B> {
        void with(B bean, ApplicationContext context) throws Exception;
    }

    interface CallUse {
        void with(Call call, ApplicationContext context);
    }

    /** The method of the shop that returns a type. */
    static final class Call {

        final ReactiveAdapter adapter;
        private final Shop shop;
        private final Class<?> type;
        private final OutcomeCounters<CircuitBreakerOutcome> counters;
        private final Map<CircuitBreakerOutcome, Long> before = new EnumMap<>(CircuitBreakerOutcome.class);

        Call(Shop shop, Class<?> type, ResilienceRegistry registry) {
            this.shop = shop;
            this.type = type;
            this.adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
            this.counters = registry.circuitBreakers().get("shop").calls();
            for (CircuitBreakerOutcome outcome : CircuitBreakerOutcome.values()) {
                before.put(outcome, counters.get(outcome));
            }
        }

        long counted(CircuitBreakerOutcome outcome) {
            return counters.get(outcome) - before.get(outcome);
        }

        Publisher<Object> of(Supplier<Publisher<?>> attempt) {
            Object returned = Stream.of(Shop.class.getDeclaredMethods())
                    .filter(method -> method.getReturnType() == type
                            && List.of(method.getParameterTypes()).equals(List.of(Supplier.class)))
                    .findFirst()
                    .map(method -> ReflectionUtils.invokeMethod(method, shop, attempt))
                    .orElseThrow();
            assertThat(returned).isInstanceOf(type);
            return adapter.toPublisher(returned);
        }
    }

    @Retryable("default")
    @CircuitBreaker("shop")
    @Bulkhead("shop")
    @TimeLimit("shop")
    public static class Shop {

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <T> T as(Class<?> type, Supplier<Publisher<?>> attempt) {
            Publisher<?> source = attempt.get();
            return source == null
                    ? null
                    : (T) ReactiveAdapterRegistry.getSharedInstance()
                            .getAdapter(type)
                            .fromPublisher(source);
        }

        public Single<String> single(Supplier<Publisher<?>> attempt) {
            return as(Single.class, attempt);
        }

        public Maybe<String> maybe(Supplier<Publisher<?>> attempt) {
            return as(Maybe.class, attempt);
        }

        public Completable completable(Supplier<Publisher<?>> attempt) {
            return as(Completable.class, attempt);
        }

        public Observable<String> observable(Supplier<Publisher<?>> attempt) {
            return as(Observable.class, attempt);
        }

        public Flowable<String> flowable(Supplier<Publisher<?>> attempt) {
            return as(Flowable.class, attempt);
        }

        public Uni<String> uni(Supplier<Publisher<?>> attempt) {
            return as(Uni.class, attempt);
        }

        public Multi<String> multi(Supplier<Publisher<?>> attempt) {
            return as(Multi.class, attempt);
        }

        public Flow.Publisher<String> flow(Supplier<Publisher<?>> attempt) {
            return as(Flow.Publisher.class, attempt);
        }

        @SuppressWarnings("unchecked")
        public Publisher<String> publisher(Supplier<Publisher<?>> attempt) {
            return (Publisher<String>) attempt.get();
        }

        @Retryable("poll")
        public Single<String> polled(AtomicInteger polls) {
            return Single.just(polls.incrementAndGet() < 3 ? "pending" : "done");
        }

        @Fallback("singleLater")
        public Single<String> withSingle() {
            return Single.error(new IllegalArgumentException("bad"));
        }

        Single<String> singleLater() {
            return Single.just("single later");
        }

        @Fallback("valueLater")
        public Single<String> withValue() {
            return Single.error(new IllegalArgumentException("bad"));
        }

        String valueLater(IllegalArgumentException failure) {
            return "value later";
        }

        @Fallback("multiLater")
        public Multi<String> withMulti() {
            return Multi.createFrom().failure(new IllegalArgumentException("bad"));
        }

        Multi<String> multiLater() {
            return Multi.createFrom().items("multi", "later");
        }

        @Fallback("completableLater")
        public Completable withCompletable() {
            return Completable.error(new IllegalArgumentException("bad"));
        }

        Completable completableLater() {
            return Completable.complete();
        }

        @Fallback("thrownLater")
        public Single<String> withThrown() {
            return Single.error(new IllegalArgumentException("bad"));
        }

        Single<String> thrownLater() {
            throw new IllegalStateException("no fallback either");
        }

        @Fallback("adaptedTypesTests.Payments::later")
        public Single<String> withProtected() {
            return Single.error(new IllegalArgumentException("bad"));
        }

        @Fallback("nullLater")
        public Observable<String> withNull() {
            return Observable.error(new IllegalArgumentException("bad"));
        }

        Observable<String> nullLater() {
            return null;
        }
    }

    public record Receipt(String key, int call, Duration took) {}

    public static class Payments {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @Retryable("default")
        public Single<String> later() {
            int call = calls.incrementAndGet();
            return call < 3 ? Single.error(new ConnectException("down")) : Single.just("attempt " + call);
        }

        @Idempotent(key = "#key")
        public Single<Receipt> single(String key) {
            return Single.fromSupplier(() -> new Receipt(key, calls.incrementAndGet(), Duration.ofSeconds(1)));
        }

        @Idempotent(key = "#key")
        public Maybe<Receipt> maybe(String key) {
            return Maybe.fromAction(calls::incrementAndGet);
        }

        @Idempotent(key = "#key")
        public Completable completable(String key) {
            return Completable.fromAction(calls::incrementAndGet);
        }

        @Idempotent(key = "#key")
        public Uni<List<Receipt>> uni(String key) {
            return Uni.createFrom()
                    .item(() -> List.of(new Receipt(key, calls.incrementAndGet(), Duration.ofSeconds(1))));
        }
    }
}
