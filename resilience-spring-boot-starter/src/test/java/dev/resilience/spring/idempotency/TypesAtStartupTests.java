package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyReusedException;
import java.io.Serializable;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;

/** What Jackson works out for a class takes long, and is left to the first call where the declaration tells enough. */
class TypesAtStartupTests {

    /** Notes for which classes Jackson makes a serializer or a deserializer. */
    private static final class Watch extends SimpleModule {

        private final Queue<Class<?>> made = new ConcurrentLinkedQueue<>();

        Watch() {
            setSerializerModifier(new ValueSerializerModifier() {
                @Override
                public ValueSerializer<?> modifySerializer(
                        SerializationConfig config, BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
                    made.add(bean.getBeanClass());
                    return serializer;
                }
            });
            setDeserializerModifier(new ValueDeserializerModifier() {
                @Override
                public ValueDeserializer<?> modifyDeserializer(
                        DeserializationConfig config,
                        BeanDescription.Supplier bean,
                        ValueDeserializer<?> deserializer) {
                    made.add(bean.getBeanClass());
                    return deserializer;
                }
            });
        }

        List<Class<?>> ofThisTest() {
            return made.stream()
                    .filter(type -> type.getName().startsWith(TypesAtStartupTests.class.getName()))
                    .toList();
        }
    }

    @Test
    void theFirstCallPaysForTheClassesOfAService() {
        Watch watch = new Watch();
        IdempotentApplication.with(
                IdempotentApplication.runner().withBean(Watch.class, () -> watch), Shop.class, shop -> {
                    assertThat(watch.ofThisTest()).isEmpty();

                    Receipt first = shop.pay("k", new Order("1", List.of(new Item("tea", 2))));
                    assertThat(watch.ofThisTest()).contains(Receipt.class, Order.class, Item.class);
                    assertThat(shop.pay("k", new Order("1", List.of(new Item("tea", 2)))))
                            .isEqualTo(first)
                            .isNotSameAs(first);
                    Assertions.assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                            .isThrownBy(() -> shop.pay("k", new Order("1", List.of(new Item("tea", 3)))));

                    Account opened = shop.open("k");
                    Account again = shop.open("k");
                    assertThat(again).isNotSameAs(opened);
                    assertThat(again.getOwner()).isEqualTo("Ann");
                    assertThat(again.getId()).isEqualTo(opened.getId());
                    assertThat(again.isBlocked()).isTrue();
                    assertThat(shop.find("k").items()).isEqualTo(shop.find("k").items());
                    assertThat(shop.annotated("k")).isEqualTo(shop.annotated("k"));
                });
    }

    @Test
    void theFirstCallPaysForTheClassesOfAHandler() {
        Watch watch = new Watch();
        IdempotentApplication.web()
                .withPropertyValues(
                        "resilience.idempotency-store.type=memory", "resilience.idempotency.default.scope=none")
                .withBean(Watch.class, () -> watch)
                .withBean(Handler.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(watch.ofThisTest()).isEmpty();

                    Handler handler = ((ApplicationContext) context).getBean(Handler.class);
                    Order order = new Order("1", List.of());
                    assertThat(handler.pay("k", order)).isEqualTo(handler.pay("k", order));
                    assertThat(watch.ofThisTest()).contains(Receipt.class, Order.class);
                });
    }

    enum Kind {
        CASH,
        CARD
    }

    record Item(String name, int count) {}

    record Order(String id, List<Item> items) {}

    record Receipt(
            UUID id, BigDecimal total, @Nullable Instant at, Kind kind, Optional<Item> gift, Map<String, Item[]> rest)
            implements Serializable {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Receipt receipt && id.equals(receipt.id) && total.equals(receipt.total);
        }

        @Override
        public int hashCode() {
            return Objects.hash(id, total);
        }
    }

    record Page<T>(List<T> items, @Nullable Page<T> next) {}

    @JsonPropertyOrder("text")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Annotated(
            @JsonProperty("text") String name,
            @JsonFormat(pattern = "yyyy") Instant at) {}

    public static class Entity {

        private @Nullable UUID id;

        public @Nullable UUID getId() {
            return id;
        }

        public void setId(@Nullable UUID id) {
            this.id = id;
        }
    }

    public static class Account extends Entity {

        private @Nullable String owner;
        private boolean blocked;

        public @Nullable String getOwner() {
            return owner;
        }

        public void setOwner(@Nullable String owner) {
            this.owner = owner;
        }

        public boolean isBlocked() {
            return blocked;
        }

        public void setBlocked(boolean blocked) {
            this.blocked = blocked;
        }
    }

    static class Shop {

        @Idempotent(key = "#key")
        Receipt pay(String key, Order order) {
            return receipt();
        }

        @Idempotent(key = "#key")
        Account open(String key) {
            Account account = new Account();
            account.setId(UUID.randomUUID());
            account.setOwner("Ann");
            account.setBlocked(true);
            return account;
        }

        @Idempotent(key = "#key")
        Page<Item> find(String key) {
            return new Page<>(List.of(new Item("tea", 1)), new Page<>(List.of(), null));
        }

        @Idempotent(key = "#key")
        Annotated annotated(String key) {
            return new Annotated("tea", Instant.now());
        }
    }

    private static Receipt receipt() {
        return new Receipt(
                UUID.randomUUID(), new BigDecimal("1.50"), null, Kind.CARD, Optional.of(new Item("tea", 1)), Map.of());
    }

    @RestController
    static class Handler {

        @PostMapping("/pay")
        @Idempotent(key = "#key")
        Receipt pay(@RequestParam("key") String key, @RequestBody Order order) {
            return receipt();
        }

        @PostMapping("/entity")
        @Idempotent(key = "#key")
        ResponseEntity<Page<Item>> find(@RequestParam("key") String key, @RequestBody Account account) {
            return ResponseEntity.ok(new Page<>(List.of(), null));
        }
    }
}
