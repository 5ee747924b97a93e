package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.KeptCalls;
import dev.resilience.spring.Applications;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** A fallback that says "later" knows whether the call is kept, in every style of calls. */
class FallbackForLaterTests {

    static class Shop {

        private Exception failure = new ConnectException("down");

        public void failWith(Exception next) {
            failure = next;
        }

        @Fallback("acceptedNow")
        @Retryable("kept")
        public String now(String id) throws Exception {
            throw failure;
        }

        String acceptedNow(String id, Throwable failure) {
            return KeptCalls.orThrow(failure);
        }

        @Fallback("acceptedNow")
        @Bulkhead("pool")
        @Retryable("kept")
        public String inPool(String id) throws Exception {
            throw failure;
        }

        @Fallback("acceptedStage")
        @Retryable("kept")
        public CompletionStage<String> stage(String id) {
            return CompletableFuture.failedFuture(failure);
        }

        CompletionStage<String> acceptedStage(String id, Throwable failure) {
            return CompletableFuture.supplyAsync(() -> KeptCalls.orThrow(failure));
        }

        @Fallback("acceptedMono")
        @Retryable("kept")
        public Mono<String> mono(String id) {
            return Mono.error(failure);
        }

        Mono<String> acceptedMono(String id, Throwable failure) {
            return Mono.fromCallable(() -> KeptCalls.orThrow(failure));
        }
    }

    /** A call of the shop that waits for its end. */
    @FunctionalInterface
    interface Call {

        String of(Shop shop) throws Exception;
    }

    private static String join(CompletionStage<String> answer) throws Exception {
        try {
            return answer.toCompletableFuture().join();
        } catch (CompletionException failed) {
            throw (Exception) failed.getCause();
        }
    }

    private static final Call[] STYLES = {
        shop -> shop.now("A"),
        shop -> shop.inPool("A"),
        shop -> join(shop.stage("A")),
        shop -> join(shop.mono("A").toFuture())
    };

    private static ApplicationContextRunner shop() {
        return Applications.plain(Shop.class)
                .withPropertyValues(
                        "resilience.retry.kept.max-attempts=1",
                        "resilience.retry.kept.dead-letter=true",
                        "resilience.bulkhead.pool.type=thread-pool",
                        "resilience.dead-letter-store.type=memory");
    }

    @Test
    void theIdOfTheLetterIsKnown() {
        shop().run(context -> {
            DeadLetterStore store = context.getBean(DeadLetterStore.class);
            for (Call call : STYLES) {
                String id = call.of(context.getBean(Shop.class));

                assertThat(store.find("kept", id)).isNotNull();
                assertThat(store.discard("kept", id)).isTrue();
            }
            assertThat(store.sizes()).isEmpty();
        });
    }

    @Test
    void aFailureThatIsNotKeptIsTheCallers() {
        shop().run(context -> {
            Shop shop = context.getBean(Shop.class);
            Exception problem = new IllegalArgumentException("no such order");
            shop.failWith(problem);
            for (Call call : STYLES) {
                assertThatThrownBy(() -> call.of(shop)).isSameAs(problem);
            }
        });
    }

    @Test
    void aCallWhoseLetterCouldNotBeStoredIsNotAccepted() {
        shop().withPropertyValues("resilience.dead-letter-store.memory.max-size=100B")
                .run(context -> {
                    for (Call call : STYLES) {
                        assertThatThrownBy(() -> call.of(context.getBean(Shop.class)))
                                .isInstanceOf(ConnectException.class);
                    }
                });
    }
}
