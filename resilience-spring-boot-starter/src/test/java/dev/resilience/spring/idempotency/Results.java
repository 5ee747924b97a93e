package dev.resilience.spring.idempotency;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.resilience.annotation.Idempotent;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Idempotent methods with results of many types. */
final class Results {

    private Results() {}

    interface Thing {}

    record Item(String name, BigDecimal price, Instant made, Optional<String> note) implements Thing {}

    record Page<T>(
            List<T> content,
            Map<String, Item> byName,
            @Nullable Page<T> next) {}

    /** Says itself which class a text is of. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(Circle.class), @JsonSubTypes.Type(Square.class)})
    sealed interface Shape {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    record Times(OffsetDateTime offset, ZonedDateTime zoned, ZonedDateTime universal, OffsetTime time) {}

    record Amounts(Map<String, Object> byName, List<Object> all) {}

    static class ItemList extends ArrayList<Item> {}

    abstract static class Store<T> {

        abstract T make();

        @Idempotent(key = "#key")
        T load(String key) {
            return make();
        }

        @Idempotent(key = "#key")
        CompletableFuture<List<T>> loadAll(String key) {
            return CompletableFuture.completedFuture(List.of(make(), make()));
        }
    }

    static class ItemStore extends Store<Item> {

        @Override
        Item make() {
            return Shop.some("a");
        }
    }

    record Basket(List<Integer> prices) {

        public int getSum() {
            return prices.stream().mapToInt(Integer::intValue).sum();
        }
    }

    static class Shop {

        private final List<@Nullable Object> results = new ArrayList<>();
        private final AtomicInteger calls = new AtomicInteger();

        List<@Nullable Object> results() {
            return results;
        }

        private <T extends @Nullable Object> T result(T result) {
            results.add(result);
            return result;
        }

        private static Item some(String name) {
            return new Item(
                    name,
                    new BigDecimal("10.50"),
                    Instant.parse("2026-03-01T10:15:30.123456789Z"),
                    Optional.of("note"));
        }

        @Idempotent(key = "#key")
        Item item(String key) {
            return result(some("a"));
        }

        @Idempotent(key = "#key")
        Basket basket(String key) {
            return result(new Basket(List.of(3, 4)));
        }

        @Idempotent(key = "#key")
        List<Item> items(String key) {
            return result(new ArrayList<>(List.of(some("a"), some("b"))));
        }

        @Idempotent(key = "#key")
        List<Shape> shapes(String key) {
            return result(List.of(new Circle(1), new Square(2)));
        }

        @Idempotent(key = "#key")
        List<? extends Item> bounded(String key) {
            return result(List.of(some("a")));
        }

        @Idempotent(key = "#key")
        ItemList itemList(String key) {
            ItemList list = new ItemList();
            list.add(some("a"));
            return result(list);
        }

        @Idempotent(key = "#key")
        Optional<Item> optional(String key) {
            return result(Optional.of(some("a")));
        }

        @Idempotent(key = "#key")
        Optional<Item> empty(String key) {
            return result(Optional.empty());
        }

        @Idempotent(key = "#key")
        Map<String, Item> map(String key) {
            return result(Map.of("a", some("a"), "b", some("b")));
        }

        @Idempotent(key = "#key")
        Map<UUID, List<Item>> nested(String key) {
            return result(Map.of(new UUID(1, 2), List.of(some("a"))));
        }

        @Idempotent(key = "#key")
        Instant instant(String key) {
            return result(Instant.parse("2026-03-01T10:15:30.123456789Z"));
        }

        @Idempotent(key = "#key")
        BigDecimal decimal(String key) {
            return result(new BigDecimal("123456789012345678901234567890.1200"));
        }

        @Idempotent(key = "#key")
        Times times(String key) {
            ZonedDateTime summer = ZonedDateTime.parse("2026-07-01T10:00:00.5+02:00[Europe/Paris]");
            return result(new Times(
                    summer.toOffsetDateTime(),
                    summer,
                    summer.withZoneSameInstant(ZoneId.of("UTC")),
                    summer.toOffsetDateTime().toOffsetTime()));
        }

        @Idempotent(key = "#key")
        Amounts amounts(String key) {
            return result(new Amounts(Map.of("total", new BigDecimal("10.50")), List.of(new BigDecimal("0.10"))));
        }

        @Idempotent(key = "#key")
        Page<Item> page(String key) {
            Page<Item> last = new Page<>(List.of(some("b")), Map.of(), null);
            return result(new Page<>(List.of(some("a")), Map.of("a", some("a")), last));
        }

        @Idempotent(key = "#key")
        String text(String key) {
            return result("\"quoted\" Ö \n" + calls.incrementAndGet());
        }

        @Idempotent(key = "#key")
        byte[] bytes(String key) {
            return result(new byte[] {0, 1, -1});
        }

        @Idempotent(key = "#key")
        int primitive(String key) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key")
        @Nullable
        Item nothing(String key) {
            return result(null);
        }

        @Idempotent(key = "#key")
        void run(String key) {
            results.add(key);
        }

        @Idempotent(key = "#key")
        CompletableFuture<List<Item>> future(String key) {
            return CompletableFuture.completedFuture(result(List.of(some("a"))));
        }

        @Idempotent(key = "#key")
        CompletionStage<Item> stage(String key) {
            return CompletableFuture.completedFuture(result(some("a")));
        }

        @Idempotent(key = "#key")
        CompletableFuture<Void> voidFuture(String key) {
            results.add(key);
            return CompletableFuture.completedFuture(null);
        }

        @Idempotent(key = "#key", resultType = Item.class)
        Thing thing(String key) {
            return result(some("a"));
        }

        @Idempotent(key = "#key", resultType = Item.class)
        CompletableFuture<Thing> thingLater(String key) {
            return CompletableFuture.completedFuture(result(some("a")));
        }
    }
}
