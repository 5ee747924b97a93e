package dev.resilience.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.resilience.annotation.Retryable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class CancelledCallsTests {

    private final Recorded recorded = new Recorded();

    private void with(Consumer<Shop> use) {
        recorded.application(Shop.class).run(context -> {
            assertThat(context).hasNotFailed();
            use.accept(context.getBean(Shop.class));
        });
    }

    @Test
    void aCancellationOfTheMethodsOwnIsItsFailure() {
        with(shop -> {
            assertThatThrownBy(shop::withdrawn).isInstanceOf(CancellationException.class);
            assertThatThrownBy(() -> shop.withdrawnLater().join()).isInstanceOf(CancellationException.class);

            assertThat(recorded.ended())
                    .hasSize(2)
                    .allSatisfy(call -> assertThat(Recorded.keys(call))
                            .contains(
                                    entry("outcome", "failure"),
                                    entry("error.type", CancellationException.class.getName())));
        });
    }

    @Test
    void aCallThatIsCancelledIsNoError() {
        with(shop -> {
            shop.never().subscribe().dispose();
            shop.pending().cancel(true);
            shop.pending().complete("by the caller");

            assertThat(recorded.ended()).hasSize(3).allSatisfy(call -> {
                assertThat(call.getError()).isNull();
                assertThat(Recorded.keys(call))
                        .contains(entry("outcome", "cancelled"))
                        .doesNotContainKey("error.type");
            });
        });
    }

    static class Shop {

        @Retryable("two")
        public String withdrawn() {
            throw new CancellationException("withdrawn");
        }

        @Retryable("two")
        public CompletableFuture<String> withdrawnLater() {
            return CompletableFuture.failedFuture(new CancellationException("withdrawn"));
        }

        @Retryable("two")
        public Mono<String> never() {
            return Mono.never();
        }

        @Retryable("two")
        public CompletableFuture<String> pending() {
            return new CompletableFuture<>();
        }
    }
}
