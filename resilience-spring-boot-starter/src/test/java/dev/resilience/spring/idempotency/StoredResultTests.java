package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.idempotency.Results.Item;
import dev.resilience.spring.idempotency.Results.ItemStore;
import dev.resilience.spring.idempotency.Results.Shop;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A replayed result is equal to the first one, whatever it is made of. */
class StoredResultTests {

    private interface Call {

        @Nullable
        Object on(Shop shop) throws Throwable;
    }

    /** Runs a call twice: the body ran once, the first caller got its result itself, the second one an equal one. */
    private static void assertReplays(Call call) {
        assertReplays(IdempotentApplication.runner(), call);
    }

    private static void assertReplays(ApplicationContextRunner runner, Call call) {
        IdempotentApplication.with(runner, Shop.class, shop -> {
            Object first = call.on(shop);
            Object second = call.on(shop);
            assertThat(shop.results()).hasSize(1);
            assertThat(first).isSameAs(shop.results().get(0));
            assertThat(second).isEqualTo(first);
            if (first instanceof Record) {
                assertThat(second).isNotSameAs(first);
            }
        });
    }

    @Test
    void aRecord() {
        assertReplays(shop -> shop.item("k"));
    }

    @Test
    void aRecordWithASumThatIsOnlyWritten() {
        assertReplays(
                IdempotentApplication.runner()
                        .withPropertyValues("spring.jackson.deserialization.fail-on-unknown-properties=true"),
                shop -> shop.basket("k"));
    }

    @Test
    void aListOfRecords() {
        assertReplays(shop -> shop.items("k"));
    }

    @Test
    void aListOfDifferentShapes() {
        assertReplays(shop -> shop.shapes("k"));
    }

    @Test
    void aListOfBoundedWildcards() {
        assertReplays(shop -> shop.bounded("k"));
    }

    @Test
    void aListWithAClassOfItsOwn() {
        assertReplays(shop -> shop.itemList("k"));
    }

    @Test
    void anOptional() {
        assertReplays(shop -> shop.optional("k"));
    }

    @Test
    void anEmptyOptional() {
        assertReplays(shop -> shop.empty("k"));
    }

    @Test
    void aMapOfRecords() {
        assertReplays(shop -> shop.map("k"));
    }

    @Test
    void aMapOfListsByUuid() {
        assertReplays(shop -> shop.nested("k"));
    }

    @Test
    void anInstantWithNanoseconds() {
        assertReplays(shop -> shop.instant("k"));
    }

    @Test
    void timesWithTheirOffsetsAndZones() {
        assertReplays(shop -> shop.times("k"));
    }

    @Test
    void timesWithTheirOffsetsAndZonesWhateverTheApplicationWrites() {
        assertReplays(
                IdempotentApplication.runner()
                        .withPropertyValues(
                                "spring.jackson.time-zone=America/New_York",
                                "spring.jackson.datatype.datetime.write-dates-as-timestamps=true"),
                shop -> shop.times("k"));
    }

    @Test
    void decimalsAmongAnythingWithTheirScale() {
        assertReplays(shop -> shop.amounts("k"));
    }

    @Test
    void aDecimalWithItsScale() {
        assertReplays(shop -> shop.decimal("k"));
    }

    @Test
    void recordsInsideGenericRecords() {
        assertReplays(shop -> shop.page("k"));
    }

    @Test
    void aText() {
        assertReplays(shop -> shop.text("k"));
    }

    @Test
    void anArray() {
        IdempotentApplication.with(Shop.class, shop -> {
            byte[] first = shop.bytes("k");
            assertThat(shop.bytes("k")).isEqualTo(first).isNotSameAs(first);
            assertThat(shop.results()).hasSize(1);
        });
    }

    @Test
    void aPrimitive() {
        IdempotentApplication.with(Shop.class, shop -> {
            assertThat(shop.primitive("k")).isEqualTo(1);
            assertThat(shop.primitive("k")).isEqualTo(1);
        });
    }

    @Test
    void nothing() {
        IdempotentApplication.with(Shop.class, shop -> {
            assertThat(shop.nothing("k")).isNull();
            assertThat(shop.nothing("k")).isNull();
            assertThat(shop.results()).hasSize(1);
        });
    }

    @Test
    void theEndOfAVoidMethod() {
        IdempotentApplication.with(Shop.class, shop -> {
            shop.run("k");
            shop.run("k");
            assertThat(shop.results()).hasSize(1);
        });
    }

    @Test
    void theValueOfAFuture() {
        assertReplays(shop -> shop.future("k").join());
    }

    @Test
    void theValueOfAStage() {
        assertReplays(shop -> shop.stage("k").toCompletableFuture().join());
    }

    @Test
    void theEndOfAFutureWithoutValue() {
        IdempotentApplication.with(Shop.class, shop -> {
            assertThat(shop.voidFuture("k").join()).isNull();
            assertThat(shop.voidFuture("k").join()).isNull();
            assertThat(shop.results()).hasSize(1);
        });
    }

    @Test
    void whatTheSubclassOfAGenericClassReturns() {
        IdempotentApplication.with(ItemStore.class, store -> {
            Item first = store.load("k");
            assertThat(store.load("k")).isEqualTo(first).isNotSameAs(first);
            List<Item> all = store.loadAll("k").join();
            assertThat(store.loadAll("k").join()).isEqualTo(all).isNotSameAs(all);
        });
    }

    @Test
    void anInterfaceByItsResultType() {
        assertReplays(shop -> shop.thing("k"));
    }

    @Test
    void anInterfaceInsideAFutureByItsResultType() {
        assertReplays(shop -> shop.thingLater("k").join());
    }

    @Test
    void isNotChangedByWhatTheFirstCallerDoesWithIt() {
        IdempotentApplication.with(Shop.class, shop -> {
            shop.items("k").clear();
            assertThat(shop.items("k")).hasSize(2);
            shop.items("k").clear();
            assertThat(shop.items("k")).hasSize(2);
        });
    }
}
