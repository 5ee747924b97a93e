package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.RetryOutcome;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceRegistry;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LayerOrderTests {

    @Nested
    class ByDefault {

        @Test
        void theCircuitBreakerSeesACallAndItsRetriesAsOneCall() {
            runner().run(context -> {
                ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
                context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::sell);

                assertThat(registry.circuitBreakers().get("default").calls().get(CircuitBreakerOutcome.FAILURE))
                        .isEqualTo(1);
                assertThat(registry.retries().get("default").attempts()).isEqualTo(2);
            });
        }

        @Test
        void theRetriesOfACallKeepOnePlaceInTheBulkhead() {
            runner().run(context -> {
                ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
                context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::sell);

                assertThat(registry.bulkheads().get("default").calls().get(BulkheadOutcome.ACCEPTED))
                        .isEqualTo(1);
            });
        }

        @Test
        void aReplayedResultAsksNeitherBulkheadNorCircuitBreaker() {
            runner().run(context -> {
                ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
                Shop shop = context.getBean(Shop.class);
                assertThat(shop.order("key")).isEqualTo("answer 1");

                registry.circuitBreakers().get("default").forceOpen();

                assertThat(shop.order("key")).isEqualTo("answer 1");
                assertThatThrownBy(() -> shop.order("other")).isInstanceOf(CircuitOpenException.class);
            });
        }

        @Test
        void theFallbackAnswersForEveryOtherLayer() {
            runner().run(context -> {
                context.getBean(ResilienceRegistry.class)
                        .circuitBreakers()
                        .get("default")
                        .forceOpen();

                assertThat(context.getBean(Shop.class).sellSomehow()).isEqualTo("CircuitOpenException");
            });
        }
    }

    @Nested
    class WithRetryOutsideOfTheCircuitBreaker {

        private final String order = "resilience.order=retry,circuit-breaker,bulkhead,idempotent,time-limit";

        @Test
        void everyAttemptIsACallForTheCircuitBreakerAndTheBulkhead() {
            runner().withPropertyValues(order).run(context -> {
                ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
                context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::sell);

                assertThat(registry.circuitBreakers().get("default").calls().get(CircuitBreakerOutcome.FAILURE))
                        .isEqualTo(3);
                assertThat(registry.bulkheads().get("default").calls().get(BulkheadOutcome.ACCEPTED))
                        .isEqualTo(3);
            });
        }

        @Test
        void aCircuitBreakerThatOpensMidwayEndsTheRetrying() {
            runner().withPropertyValues(order, "resilience.circuit-breaker.default.failure-threshold=2")
                    .run(context -> {
                        Callee callee = context.getBean(Callee.class).failNext(10);

                        assertThatThrownBy(context.getBean(Shop.class)::sell)
                                .isInstanceOf(CircuitOpenException.class)
                                .satisfies(failure -> assertThat(failure.getSuppressed())
                                        .extracting(Throwable::getMessage)
                                        .containsExactly("call 1 refused", "call 2 refused"));
                        assertThat(callee.calls()).isEqualTo(2);
                        assertThat(context.getBean(ResilienceRegistry.class)
                                        .retries()
                                        .get("default")
                                        .calls()
                                        .get(RetryOutcome.NOT_RETRYABLE))
                                .isEqualTo(1);
                    });
        }

        @Test
        void aRefusalIsRetriedWhereThePolicySaysSo() {
            runner().withPropertyValues(
                            order,
                            "resilience.circuit-breaker.default.initial-state=forced-open",
                            "resilience.retry.default.retry-on=" + CircuitOpenException.class.getName())
                    .run(context -> {
                        assertThatThrownBy(context.getBean(Shop.class)::sell).isInstanceOf(CircuitOpenException.class);
                        assertThat(context.getBean(ResilienceRegistry.class)
                                        .retries()
                                        .get("default")
                                        .attempts())
                                .isEqualTo(2);
                    });
        }

        @Test
        void aFailedAttemptReleasesItsKeyAndTheNextOneTakesItAgain() {
            runner().withPropertyValues(order).run(context -> {
                context.getBean(Callee.class).failNext(2);
                Shop shop = context.getBean(Shop.class);

                assertThat(shop.order("key")).isEqualTo("answer 3");
                assertThat(shop.order("key")).isEqualTo("answer 3");
            });
        }
    }

    @Nested
    class WithTheFallbackFurtherIn {

        private ApplicationContextRunner ordered(String order) {
            return runner().withPropertyValues("resilience.order=" + order);
        }

        @Test
        void itAnswersForWhatStandsInsideOfItOnly() {
            ordered("idempotent,bulkhead,circuit-breaker,fallback,retry,time-limit")
                    .run(context -> {
                        Shop shop = context.getBean(Shop.class);
                        context.getBean(Callee.class).failNext(1);
                        assertThat(shop.sellSomehow()).isEqualTo("ConnectException");

                        context.getBean(ResilienceRegistry.class)
                                .circuitBreakers()
                                .get("default")
                                .forceOpen();

                        assertThatThrownBy(shop::sellSomehow).isInstanceOf(CircuitOpenException.class);
                    });
        }

        @Test
        void insideOfTheRetryItSeesTheFailureOfEachAttempt() {
            ordered("idempotent,bulkhead,circuit-breaker,retry,fallback,time-limit")
                    .run(context -> {
                        context.getBean(Callee.class).failNext(2);
                        Shop shop = context.getBean(Shop.class);

                        assertThat(shop.sellAtLast()).isEqualTo("answer 3");
                        assertThat(shop.seen()).containsExactly("call 1 refused", "call 2 refused");
                    });
        }

        @Test
        void anIdempotentCallReturnsItsAnswerAndDoesNotStoreIt() {
            ordered("idempotent,bulkhead,circuit-breaker,retry,fallback,time-limit")
                    .run(context -> {
                        Shop shop = context.getBean(Shop.class);
                        context.getBean(Callee.class).failNext(1);

                        assertThat(shop.orderSomehow("key")).isEqualTo("ConnectException");
                        assertThat(shop.orderSomehow("key")).isEqualTo("answer 2");
                        assertThat(shop.orderSomehow("key")).isEqualTo("answer 2");
                    });
        }

        @Test
        void aRuleForResultsSeesItsAnswer() {
            ordered("idempotent,bulkhead,circuit-breaker,retry,fallback,time-limit")
                    .withPropertyValues("resilience.retry.default.retry-on-result=#result == 'ConnectException'")
                    .run(context -> {
                        context.getBean(Callee.class).failNext(1);

                        assertThat(context.getBean(Shop.class).orderSomehow("key"))
                                .isEqualTo("answer 2");
                    });
        }

        @Test
        void outsideOfEverythingIsWhereItIsByDefault() {
            ordered("fallback,idempotent,bulkhead,circuit-breaker,retry,time-limit")
                    .run(context -> {
                        context.getBean(ResilienceRegistry.class)
                                .circuitBreakers()
                                .get("default")
                                .forceOpen();

                        assertThat(context.getBean(Shop.class).sellSomehow()).isEqualTo("CircuitOpenException");
                    });
        }
    }

    private static ApplicationContextRunner runner() {
        return Applications.plain(Shop.class);
    }

    static class Shop {

        @Autowired
        Callee callee;

        private final List<String> seen = new ArrayList<>();

        @Bulkhead("default")
        @CircuitBreaker("default")
        @Retryable("default")
        public String sell() throws ConnectException {
            return callee.call();
        }

        @Idempotent(key = "#key")
        @CircuitBreaker("default")
        @Retryable("default")
        public String order(String key) throws ConnectException {
            return callee.call();
        }

        @Fallback("somehow")
        @CircuitBreaker("default")
        public String sellSomehow() throws ConnectException {
            return callee.call();
        }

        @Fallback("orderAnother")
        @Idempotent(key = "#key")
        @Retryable("default")
        public String orderSomehow(String key) throws ConnectException {
            return callee.call();
        }

        String orderAnother(String key, Throwable failure) {
            return failure.getClass().getSimpleName();
        }

        @Fallback("passOn")
        @Retryable("default")
        public String sellAtLast() throws ConnectException {
            return callee.call();
        }

        List<String> seen() {
            return seen;
        }

        String passOn(ConnectException failure) throws ConnectException {
            seen.add(failure.getMessage());
            throw failure;
        }

        String somehow(Throwable failure) {
            return failure.getClass().getSimpleName();
        }
    }
}
