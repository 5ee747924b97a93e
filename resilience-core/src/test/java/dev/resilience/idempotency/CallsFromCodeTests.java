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
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    void aCallWithoutAResultRunsOnce() {
        for (int i = 0; i < 2; i++) {
            orders.call("a", Void.class, () -> {
                effects.incrementAndGet();
                return null;
            });
        }
        assertThat(effects).hasValue(1);
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
        assertThatThrownBy(() -> orders.call("", String.class, this::place))
                .isInstanceOf(IdempotencyKeyInvalidException.class);
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
    void aResultThatIsNoTextIsRefused() {
        assertThatThrownBy(() -> orders.call("a", Integer.class, effects::incrementAndGet))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Integer");
        assertThat(orders.callAsync("a", Integer.class, () -> CompletableFuture.completedFuture(1)))
                .isCompletedExceptionally();
        assertThat(effects).hasValue(0);
    }
}
