package dev.resilience.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.log.CapturedLines;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
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

    /** It holds its key until it ends, but for the caller it is over. */
    @Test
    void anIdempotentCallThatGoesOnAddsNothingToItsObservation() {
        try (CapturedLines log = CapturedLines.of(ObservedMethods.class)) {
            with(this::goOn);

            assertThat(recorded.lines()).containsExactly("start Shop.paid", "event attempt 1", "stop Shop.paid");
            assertThat(log.all()).isEmpty(); // the registry of the test refuses what comes after the end
        }
    }

    private void goOn(Shop shop) {
        shop.paid("key").cancel(true);
        shop.gateway().get(0).completeExceptionally(new ConnectException("refused"));
        Awaitility.await().until(() -> {
            shop.time().advance(Duration.ofSeconds(5));
            return shop.gateway().size() == 2;
        });

        shop.gateway().get(1).complete("paid");
    }

    static class Shop {

        @Autowired
        private ManualTimeSource time;

        private final List<CompletableFuture<String>> gateway = new CopyOnWriteArrayList<>();

        ManualTimeSource time() {
            return time;
        }

        List<CompletableFuture<String>> gateway() {
            return gateway;
        }

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

        @Idempotent(key = "#key")
        @Retryable("two")
        public CompletableFuture<String> paid(String key) {
            CompletableFuture<String> answer = new CompletableFuture<>();
            gateway.add(answer);
            return answer;
        }
    }
}
