package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.Resilience;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallsFromCodeTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();
    private final MemoryIdempotencyStore store = new MemoryIdempotencyStore(time);
    private final Idempotency orders = resilience.idempotency("orders", IdempotencyPolicy.defaults(), store);
    private final AtomicInteger effects = new AtomicInteger();

    @AfterEach
    void close() {
        resilience.close();
    }

    private String place() {
        return "receipt " + effects.incrementAndGet();
    }

    @Test
    void aCallRunsOncePerKey() {
        assertThat(orders.call("a", String.class, this::place)).isEqualTo("receipt 1");
        assertThat(orders.call("a", String.class, this::place)).isEqualTo("receipt 1");
        assertThat(orders.call("b", String.class, this::place)).isEqualTo("receipt 2");
        assertThat(orders.calls().get(IdempotencyOutcome.REPLAYED)).isEqualTo(1);
    }

    @Test
    void aTextMayBeEmptyOrNone() {
        for (int i = 0; i < 2; i++) {
            assertThat(orders.call("empty", String.class, () -> "")).isEmpty();
            assertThat(orders.<String, RuntimeException>call("none", String.class, () -> null))
                    .isNull();
        }
    }

    @Test
    void aCallWithoutAResultRunsOnce() throws IOException {
        for (int i = 0; i < 2; i++) {
            orders.run("a", effects::incrementAndGet);
            orders.run("b", List.of("item", 1), this::ship);
        }
        assertThat(effects).hasValue(2);
        assertThatThrownBy(() -> orders.run("b", List.of("item", 2), this::ship))
                .isInstanceOf(IdempotencyKeyReusedException.class);
    }

    private void ship() throws IOException {
        if (effects.incrementAndGet() > 2) {
            throw new IOException("out of stock");
        }
    }

    /** It would be read as what it is not. */
    @Test
    void aResultOfAnotherTypeIsRefused() {
        assertAnotherTypeIsRefused(orders);
    }

    @Test
    void aResultOfAnotherTypeIsRefusedThoughNothingElseIsCompared() {
        IdempotencyPolicy policy =
                IdempotencyPolicy.builder().fingerprint(false).build();
        Idempotency uncompared = resilience.idempotency("uncompared", policy, store);

        assertAnotherTypeIsRefused(uncompared);
        assertThat(uncompared.call("a", String.class, "another fingerprint", this::place))
                .isEqualTo("receipt 1");
    }

    private void assertAnotherTypeIsRefused(Idempotency idempotency) {
        idempotency.call("a", String.class, this::place);

        assertThatThrownBy(() -> idempotency.run("a", effects::incrementAndGet))
                .isInstanceOf(IdempotencyKeyReusedException.class)
                .hasMessageContaining("another type of result");
        assertThat(effects).hasValue(1);
    }

    /** A text would be replayed in its place. */
    @Test
    void aResultThatIsNotOfTheGivenTypeIsNotStored() {
        assertThat(orders.<Object, RuntimeException>call("a", String.class, () -> 5))
                .isEqualTo(5);
        assertThatThrownBy(() -> orders.call("a", String.class, this::place))
                .isInstanceOf(IdempotencyInProgressException.class); // until its lease ends
    }

    @Test
    void aFailureComesAsItIsAndFreesTheKey() {
        IOException broken = new IOException("broken");
        assertThatThrownBy(() -> orders.call("a", String.class, () -> {
                    throw broken;
                }))
                .isSameAs(broken);
        assertThat(orders.call("a", String.class, this::place)).isEqualTo("receipt 1");
    }

    @Test
    void anotherFingerprintIsRefused() {
        orders.call("a", String.class, List.of("item", 1), this::place);

        assertThat(orders.call("a", String.class, List.of("item", 1), this::place))
                .isEqualTo("receipt 1");
        assertThatThrownBy(() -> orders.call("a", String.class, List.of("item", 2), this::place))
                .isInstanceOf(IdempotencyKeyReusedException.class);
    }

    @Test
    void fingerprintsThatAreArraysAreComparedByTheirElements() {
        for (int i = 0; i < 2; i++) {
            orders.run("a", new int[] {1, 2}, effects::incrementAndGet);
        }
        assertThat(effects).hasValue(1);
        assertThatThrownBy(() -> orders.run("a", new int[] {1, 3}, effects::incrementAndGet))
                .isInstanceOf(IdempotencyKeyReusedException.class);
    }

    @Test
    void manyThreadsWithOneKeyRunOneBody() throws Exception {
        IdempotencyPolicy waiting = IdempotencyPolicy.builder()
                .onInProgress(IdempotencyPolicy.OnInProgress.WAIT)
                .build();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (Resilience ofSystem = Resilience.create()) {
            Idempotency shared =
                    ofSystem.idempotency("shared", waiting, new MemoryIdempotencyStore(TimeSource.system()));
            List<Future<String>> calls =
                    threads.invokeAll(Collections.nCopies(8, () -> shared.call("a", String.class, this::place)));
            for (Future<String> call : calls) {
                assertThat(call.get()).isEqualTo("receipt 1");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aKeyInUseIsRefused() {
        orders.call("a", String.class, () -> {
            assertThatThrownBy(() -> orders.call("a", String.class, this::place))
                    .isInstanceOf(IdempotencyInProgressException.class);
            return "";
        });
        assertThat(effects).hasValue(0);
    }

    @Test
    void aKeyThatIsNoneIsRefused() {
        assertThatThrownBy(() -> orders.call(null, String.class, this::place))
                .isInstanceOf(IdempotencyKeyMissingException.class)
                .hasMessageContaining("'orders'");
        for (String key : List.of("", "k".repeat(256), "line\nbreak")) {
            assertThatThrownBy(() -> orders.call(key, String.class, this::place))
                    .isInstanceOf(IdempotencyKeyInvalidException.class);
            assertThat(orders.callAsync(key, String.class, () -> CompletableFuture.completedFuture(place())))
                    .isCompletedExceptionally();
        }
        assertThat(orders.callAsync(null, String.class, () -> CompletableFuture.completedFuture(place())))
                .isCompletedExceptionally();
        assertThat(effects).hasValue(0);
    }

    @Test
    void anAsynchronousCallRunsOncePerKey() {
        List<CompletableFuture<String>> bodies = new ArrayList<>();
        CompletableFuture<String> first = orders.callAsync("a", String.class, () -> {
            bodies.add(new CompletableFuture<>());
            return bodies.get(0);
        });
        CompletableFuture<String> second =
                orders.callAsync("a", String.class, () -> CompletableFuture.completedFuture(place()));
        assertThat(second).isCompletedExceptionally();

        bodies.get(0).complete("receipt");

        assertThat(first).isCompletedWithValue("receipt");
        assertThat(orders.callAsync("a", String.class, () -> CompletableFuture.completedFuture(place())))
                .isCompletedWithValue("receipt");
        assertThat(orders.call("a", String.class, this::place)).isEqualTo("receipt");
    }

    @Test
    void anAsynchronousBodyThatThrowsAtOnceFailsTheFutureAndFreesTheKey() {
        IllegalStateException broken = new IllegalStateException("broken");
        CompletableFuture<String> failed = orders.callAsync("a", String.class, () -> {
            throw broken;
        });
        assertThatThrownBy(failed::join).hasCause(broken);
        assertThat(orders.call("a", String.class, this::place)).isEqualTo("receipt 1");
    }

    /** What it began goes on, and the next call must not begin it again. */
    @Test
    void aCancelledCallKeepsItsKeyUntilItsBodyEnds() {
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> cancelled = orders.callAsync("a", String.class, () -> body.copy());
        assertThat(cancelled.cancel(true)).isTrue();

        assertThatThrownBy(() -> orders.call("a", String.class, this::place))
                .isInstanceOf(IdempotencyInProgressException.class);
        body.complete("receipt");
        assertThat(orders.call("a", String.class, this::place)).isEqualTo("receipt");
    }

    @Test
    void aResultThatIsNoTextIsRefused() {
        assertThatThrownBy(() -> orders.call("a", Integer.class, effects::incrementAndGet))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Integer");
        assertThatThrownBy(() -> orders.callAsync("a", int.class, () -> CompletableFuture.completedFuture(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Integer");
        assertThat(effects).hasValue(0);
    }
}
