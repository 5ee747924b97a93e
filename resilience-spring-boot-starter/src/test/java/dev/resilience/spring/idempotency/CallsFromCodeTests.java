package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.idempotency.CallerScope;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.idempotency.redis.TestRedis;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.ParameterizedTypeReference;

/** Calls that code gives a key: what annotated methods promise, on each store. */
@ParameterizedClass
@EnumSource
class CallsFromCodeTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    record Receipt(int number, List<String> items) {}

    /** Jackson would read it of a receipt. */
    record Bill(int number) {}

    private final Stores store;
    private final AtomicInteger effects = new AtomicInteger();
    private final AtomicReference<String> caller = new AtomicReference<>("alice");

    CallsFromCodeTests(Stores store) {
        this.store = store;
    }

    private void with(Consumer<Idempotency> use, String... properties) {
        store.application(REDIS)
                .withPropertyValues("resilience.idempotency.orders.ttl=1h")
                .withPropertyValues(properties)
                .withBean(CallerScope.class, () -> caller::get)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.accept(context.getBean(ResilienceRegistry.class).idempotency("orders"));
                });
    }

    private Receipt place() {
        return new Receipt(effects.incrementAndGet(), List.of("book"));
    }

    @Test
    void aCallRunsOncePerKeyAndIsCounted() {
        with(orders -> {
            Receipt first = orders.call("a", Receipt.class, this::place);
            assertThat(orders.call("a", Receipt.class, this::place)).isEqualTo(first);
            assertThat(orders.call("b", Receipt.class, this::place).number()).isEqualTo(2);

            CountedOutcomes.assertCounted(
                    orders, IdempotencyOutcome.EXECUTED, IdempotencyOutcome.REPLAYED, IdempotencyOutcome.EXECUTED);
        });
    }

    @Test
    void anOperatorFindsTheRecordByTheNameOfThePolicy() {
        with(orders -> {
            orders.call("a", Receipt.class, this::place);

            assertThat(orders.operations()).containsExactly("orders");
            RecordSelection selection = new RecordSelection("a", orders.operations(), null);
            assertThat(orders.store().find(selection)).hasSize(1);
            assertThat(orders.store().delete(selection)).isEqualTo(1);
            assertThat(orders.call("a", Receipt.class, this::place).number()).isEqualTo(2);
        });
    }

    @Test
    void aPolicyThatDoesNotExistIsRefusedWithTheNearestNames() {
        store.application(REDIS)
                .withPropertyValues("resilience.idempotency.orders.ttl=1h")
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(ResilienceRegistry.class).idempotency("order"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("'order'")
                        .hasMessageContaining("orders"));
    }

    @Test
    void aResultMayBeGeneric() {
        var receipts = new ParameterizedTypeReference<List<Receipt>>() {}.getType();
        with(orders -> {
            for (int i = 0; i < 2; i++) {
                List<Receipt> placed = orders.call("a", receipts, null, () -> List.of(place()));
                assertThat(placed).containsExactly(new Receipt(1, List.of("book")));
            }
        });
    }

    @Test
    void aCallWithoutAResultRunsOnce() {
        with(orders -> {
            for (int i = 0; i < 2; i++) {
                orders.run("a", this::place);
            }
            assertThat(effects).hasValue(1);
        });
    }

    @Test
    void anAsynchronousCallRunsOncePerKey() {
        with(orders -> {
            for (int i = 0; i < 2; i++) {
                assertThat(orders.callAsync("a", Receipt.class, () -> CompletableFuture.supplyAsync(this::place))
                                .join()
                                .number())
                        .isEqualTo(1);
            }
        });
    }

    @Test
    void aFailureComesAsItIsAndFreesTheKey() {
        IOException broken = new IOException("broken");
        with(orders -> {
            assertThatThrownBy(() -> orders.call("a", Receipt.class, () -> {
                        throw broken;
                    }))
                    .isSameAs(broken);
            assertThat(orders.call("a", Receipt.class, this::place).number()).isEqualTo(1);
        });
    }

    @Test
    void anotherFingerprintIsRefused() {
        with(orders -> {
            orders.call("a", Receipt.class, List.of("book", 1), this::place);
            orders.call("a", Receipt.class, List.of("book", 1), this::place);
            assertThatThrownBy(() -> orders.call("a", Receipt.class, List.of("book", 2), this::place))
                    .isInstanceOf(IdempotencyKeyReusedException.class);
        });
    }

    @Test
    void aResultOfAnotherTypeIsRefused() {
        with(this::assertAnotherTypeIsRefused);
    }

    @Test
    void aResultOfAnotherTypeIsRefusedThoughNothingElseIsCompared() {
        with(
                orders -> {
                    assertAnotherTypeIsRefused(orders);
                    orders.call("a", Receipt.class, "another fingerprint", this::place);
                    assertThat(effects).hasValue(1);
                },
                "resilience.idempotency.orders.fingerprint=false");
    }

    private void assertAnotherTypeIsRefused(Idempotency orders) {
        orders.call("a", Receipt.class, this::place);

        assertThatThrownBy(() -> orders.call("a", Bill.class, () -> new Bill(2)))
                .isInstanceOf(IdempotencyKeyReusedException.class)
                .hasMessageContaining("another type of result");
    }

    @Test
    void aPrimitiveTypeStandsForItsClass() {
        with(orders -> {
            assertThat(orders.<Integer, RuntimeException>call("a", int.class, effects::incrementAndGet))
                    .isEqualTo(1);
            assertThat(orders.call("a", Integer.class, effects::incrementAndGet))
                    .isEqualTo(1);
            for (int i = 0; i < 2; i++) {
                assertThat(orders.<Integer, RuntimeException>call("none", int.class, () -> null))
                        .isNull();
                orders.run("none at all", effects::incrementAndGet);
                assertThat(orders.<Void, RuntimeException>call("none at all", void.class, () -> null))
                        .isNull();
            }
            assertThat(effects).hasValue(2);
        });
    }

    @Test
    void aPolicyThatIsSwitchedOffRunsEveryBodyAndStoresNothing() {
        with(
                orders -> {
                    orders.call("a", Receipt.class, this::place);
                    orders.call("a", Receipt.class, this::place);
                    orders.callAsync("a", Receipt.class, () -> CompletableFuture.completedFuture(place()))
                            .join();
                    orders.run("a", this::place);

                    assertThat(effects).hasValue(4);
                    CountedOutcomes.assertCounted(orders);
                    assertThat(orders.operations()).isEmpty();
                },
                "resilience.idempotency.orders.enabled=false");
    }

    @Test
    void aFingerprintThatIsNoValueIsRefusedBeforeTheBodyRuns() {
        with(orders -> {
            assertThatThrownBy(() -> orders.call("a", Receipt.class, Thread.currentThread(), this::place))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("java.lang.Thread");
            assertThat(effects).hasValue(0);
            assertThat(orders.call("a", Receipt.class, this::place).number()).isEqualTo(1);
        });
    }

    @Test
    void callersAreKeptApart() {
        with(orders -> {
            orders.call("a", Receipt.class, this::place);
            caller.set("bob");
            assertThat(orders.call("a", Receipt.class, this::place).number()).isEqualTo(2);
        });
    }

    @Test
    void withoutAScopeCallersShareKeys() {
        with(
                orders -> {
                    orders.call("a", Receipt.class, this::place);
                    caller.set("bob");
                    assertThat(orders.call("a", Receipt.class, this::place).number())
                            .isEqualTo(1);
                },
                "resilience.idempotency.orders.scope=none");
    }

    @Test
    void whatIsCalledGetsTheKeyOfTheCall() {
        with(orders -> {
            List<String> keys = orders.call(
                    "a",
                    new ParameterizedTypeReference<List<String>>() {}.getType(),
                    null,
                    () -> List.of(IdempotencyContext.downstreamKeyOrNew(), IdempotencyContext.downstreamKeyOrNew()));
            assertThat(keys.get(0)).isEqualTo(keys.get(1));
        });
    }

    @Test
    void aResultThatCouldNotBeReadBackIsRefusedBeforeTheBodyRuns() {
        with(orders -> {
            assertThatThrownBy(() -> orders.call("a", Object.class, this::place))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Results of java.lang.Object cannot be stored");
            assertThat(effects).hasValue(0);
        });
    }
}
