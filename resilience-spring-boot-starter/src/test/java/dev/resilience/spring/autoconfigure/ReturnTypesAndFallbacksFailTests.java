package dev.resilience.spring.autoconfigure;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.subjects.SingleSubject;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods whose result is no result yet, and fallback methods that are none. */
class ReturnTypesAndFallbacksFailTests extends FailingStartup {

    @Nested
    class ReturnTypes {

        @Test
        void future() {
            failsFor(ReturnsFuture.class, "java.util.concurrent.Future");
        }

        @Test
        void aKindOfFlux() {
            failsFor(ReturnsConnectableFlux.class, "reactor.core.publisher.ConnectableFlux");
        }

        @Test
        void aFluxWithAKey() {
            fail(IdempotentFlux.class)
                    .blames(IdempotentFlux.class, "pay(java.lang.String)")
                    .says("is @Idempotent and returns Flux", "a stream")
                    .advises("Mono");
        }

        @Test
        void anObservableWithAKey() {
            fail(IdempotentObservable.class)
                    .blames(IdempotentObservable.class, "pay(java.lang.String)")
                    .says("is @Idempotent and returns Observable")
                    .advises("Single<List<...>>");
        }

        @Test
        void aTypeOfRxJavaThatSpringDoesNotKnow() {
            failsFor(ReturnsSubject.class, SingleSubject.class.getName());
        }

        /** Spring's advice lets each call of such methods fail. */
        @Test
        void whatSpringsAsyncCannotHandOver() {
            fail(AsyncMono.class)
                    .blames(AsyncMono.class, "mono()")
                    .says("is @Async and returns reactor.core.publisher.Mono")
                    .advises("Return a CompletableFuture, or remove @Async");
        }

        @Test
        void callable() {
            failsFor(ReturnsCallable.class, "java.util.concurrent.Callable");
        }

        @Test
        void aFutureOfOnesOwn() {
            failsFor(ReturnsOwnFuture.class, OwnFuture.class.getName());
        }

        private void failsFor(Class<?> bean, String returned) {
            fail(bean)
                    .blames(bean, "pay()")
                    .says("returns " + returned, "its work begins or ends after it has returned")
                    .advises("Return a value, CompletableFuture, CompletionStage, Mono, Flux or what Spring's");
        }
    }

    @Nested
    class Fallbacks {

        @Test
        void thatDoNotExist() {
            fail(Missing.class)
                    .blames(Missing.class, "pay(java.lang.String)")
                    .says("The fallback method 'payLatr'", "does not exist in " + Missing.class.getName())
                    .advises("Did you mean 'payLater'?");
        }

        @Test
        void withOtherParameters() {
            fail(OtherParameters.class)
                    .blames(OtherParameters.class, "pay(java.lang.String)")
                    .says("does not match it: found String OtherParameters.payLater(int)")
                    .advises("has the same parameters", "returns java.lang.String");
        }

        @Test
        void withAnotherReturnType() {
            fail(OtherResult.class)
                    .blames(OtherResult.class, "pay(java.lang.String)")
                    .says("does not match it: found Integer OtherResult.payLater(String, Throwable)")
                    .advises("optionally followed by one Throwable", "returns java.lang.String");
        }
    }

    @Test
    void aFallbackWithOtherElementsOrTooGeneralARawType() {
        fail(OtherElements.class)
                .says(
                        "does not match it: found ",
                        "Collection OtherElements.raw()",
                        "List OtherElements.raw(Throwable)")
                .advises("returns java.util.List<java.lang.String>");
    }

    static class OtherElements {

        @Fallback("raw")
        List<String> pay() {
            return List.of();
        }

        @SuppressWarnings("rawtypes")
        Collection raw() {
            return List.of();
        }

        List<Integer> raw(Throwable failure) {
            return List.of(1);
        }
    }

    static class ReturnsFuture {

        @Retryable("default")
        Future<String> pay() {
            return CompletableFuture.completedFuture("paid");
        }
    }

    static class ReturnsConnectableFlux {

        @Retryable("default")
        ConnectableFlux<String> pay() {
            return Flux.just("paid").publish();
        }
    }

    static class IdempotentObservable {

        @Idempotent(key = "#order")
        Observable<String> pay(String order) {
            return Observable.just(order);
        }
    }

    static class ReturnsSubject {

        @Retryable("default")
        SingleSubject<String> pay() {
            return SingleSubject.create();
        }
    }

    @EnableAsync
    static class AsyncMono {

        @Async
        @Retryable("default")
        Mono<String> mono() {
            return Mono.just("paid");
        }
    }

    static class IdempotentFlux {

        @Idempotent(key = "#order")
        Flux<String> pay(String order) {
            return Flux.just(order);
        }
    }

    static class ReturnsCallable {

        @Retryable("default")
        Callable<String> pay() {
            return () -> "paid";
        }
    }

    static class OwnFuture extends CompletableFuture<String> {}

    static class ReturnsOwnFuture {

        @Retryable("default")
        OwnFuture pay() {
            return new OwnFuture();
        }
    }

    static class Missing {

        @Fallback("payLatr")
        String pay(String order) {
            return order;
        }

        String payLater(String order) {
            return order;
        }
    }

    static class OtherParameters {

        @Fallback("payLater")
        String pay(String order) {
            return order;
        }

        String payLater(int order) {
            return "later " + order;
        }
    }

    static class OtherResult {

        @Fallback("payLater")
        String pay(String order) {
            return order;
        }

        Integer payLater(String order, Throwable failure) {
            return order.length();
        }
    }
}
