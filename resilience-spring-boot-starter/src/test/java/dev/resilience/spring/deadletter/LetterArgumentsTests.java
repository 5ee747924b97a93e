package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.spring.Applications;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** A replay gets the arguments that the caller gave, or the loss is told. */
class LetterArgumentsTests {

    enum Color {
        RED
    }

    record Money(BigDecimal amount, String currency) {}

    static class Order {

        public String id = "A-1";

        public String getTotal() {
            return id + " is paid";
        }
    }

    static class RushOrder extends Order {

        public String courier = "bike";
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    @JsonSubTypes(@JsonSubTypes.Type(Letter.class))
    static class Parcel {

        public int weight = 1;
    }

    static class Letter extends Parcel {

        public int stamps = 2;
    }

    static class Secretive {

        public String getPassword() {
            throw new IllegalStateException("the password is 1234");
        }

        public void setPassword(String password) {}
    }

    static class Handler<T> {

        private final List<Object> handled = new ArrayList<>();

        void note(@Nullable Object... arguments) throws ConnectException {
            handled.add(Arrays.deepToString(arguments));
            throw new ConnectException("down");
        }

        @Retryable("kept")
        public void handle(T what) throws ConnectException {
            note(what);
        }

        public List<Object> handled() {
            return handled;
        }
    }

    static class Shop extends Handler<Money> {

        @Retryable("kept")
        public void values(int i, long l, double d, char c, byte[] bytes, int[] numbers, String... texts)
                throws ConnectException {
            note(i, l, d, c, bytes, numbers, texts);
        }

        @Retryable("kept")
        public void generic(
                List<Money> list, Map<Long, Money> map, Optional<Money> one, Set<Color> set, EnumMap<Color, Integer> by)
                throws ConnectException {
            note(list, map, one, set, by);
        }

        @Retryable("kept")
        public void times(Instant instant, LocalDate date, ZonedDateTime zoned, Duration duration, UUID id)
                throws ConnectException {
            note(instant, date, zoned, duration, id);
        }

        @Retryable("kept")
        public void sort(List<String> texts) throws ConnectException {
            texts.add("sorted");
            note(List.copyOf(texts));
        }

        @Retryable("kept")
        public void order(Order order) throws ConnectException {
            note(order.getClass().getSimpleName());
        }

        @Retryable("kept")
        public void orders(Map<String, List<Order>> orders) throws ConnectException {
            note();
        }

        @Retryable("kept")
        public void parcels(List<Parcel> parcels) throws ConnectException {
            note(parcels.get(0).getClass().getSimpleName());
        }

        @Retryable("kept")
        public void secret(Secretive secretive) throws ConnectException {
            note();
        }
    }

    /** A call of the shop. */
    @FunctionalInterface
    interface Call {

        void of(Shop shop) throws ConnectException;
    }

    private static ApplicationContextRunner application() {
        return Applications.plain(Shop.class)
                .withPropertyValues(
                        "resilience.retry.kept.dead-letter=true", "resilience.dead-letter-store.type=memory");
    }

    private static DeadLetters letters(ApplicationContext context) {
        return context.getBean(LiveRegistry.class)
                .<KeepingRetry>ofKind("retry")
                .get("kept")
                .letters();
    }

    private static List<StoredLetter> stored(ApplicationContext context) {
        return context.getBean(DeadLetterStore.class).list("kept", 10);
    }

    private static void assertComesBack(Call call) {
        application().run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThatThrownBy(() -> call.of(shop)).isInstanceOf(ConnectException.class);
            Object given = shop.handled().get(0);
            shop.handled().clear();

            Replayed replayed = letters(context)
                    .replay(stored(context).get(0).letter().id(), context.getBean(DeadLetterMethods.class));

            assertThat(Objects.requireNonNull(replayed).failure()).isInstanceOf(ConnectException.class);
            assertThat(shop.handled().get(0)).isEqualTo(given);
        });
    }

    private static void assertIsNotKept(Call call) {
        application().run(context -> {
            assertThatThrownBy(() -> call.of(context.getBean(Shop.class))).isInstanceOf(ConnectException.class);

            assertThat(stored(context)).isEmpty();
            assertThat(letters(context).calls().byLabel()).containsEntry("store_failure", 1L);
        });
    }

    @Test
    void primitivesArraysAndVarargsComeBack() {
        assertComesBack(shop -> shop.values(1, 2L, 0.1, 'c', new byte[] {1, -1}, new int[] {1, 2}, "a", "b"));
        assertComesBack(shop -> shop.values(-1, Long.MIN_VALUE, Double.NaN, '"', new byte[0], new int[0]));
    }

    @Test
    void genericTypesComeBackAlsoEmptyAndNull() {
        Money money = new Money(new BigDecimal("1.10"), "EUR");
        EnumMap<Color, Integer> byColor = new EnumMap<>(Map.of(Color.RED, 1));

        assertComesBack(shop ->
                shop.generic(List.of(money), Map.of(7L, money), Optional.of(money), Set.of(Color.RED), byColor));
        assertComesBack(shop -> shop.generic(null, Map.of(), Optional.empty(), Set.of(), new EnumMap<>(Color.class)));
        assertComesBack(shop -> shop.handle(money));
        assertComesBack(shop -> shop.handle(null));
    }

    @Test
    void timesComeBackWithAllTheirDigits() {
        assertComesBack(shop -> shop.times(
                Instant.parse("2026-11-22T22:18:00.123456789Z"),
                LocalDate.MAX,
                ZonedDateTime.parse("2026-10-25T02:30+02:00[Europe/Berlin]"),
                Duration.ofNanos(1),
                new UUID(1, 2)));
    }

    @Test
    void whatTheMethodMakesOfItsArgumentsIsNotKept() {
        assertComesBack(shop -> shop.sort(new ArrayList<>(List.of("b", "a"))));
    }

    @Test
    void aSubclassThatSaysWhatItIsComesBack() {
        assertComesBack(shop -> shop.parcels(List.of(new Letter())));
    }

    @Test
    void aSubclassOfWhichAPartWouldBeLostIsToldAndNotKept() {
        assertIsNotKept(shop -> shop.order(new RushOrder()));
        assertIsNotKept(shop -> shop.orders(Map.of("today", List.of(new Order(), new RushOrder()))));
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void whyAnArgumentCannotBeWrittenIsToldWithoutItsValue(CapturedOutput output) {
        assertIsNotKept(shop -> shop.secret(new Secretive()));

        assertThat(output).contains("Secretive cannot be written as JSON").doesNotContain("1234");
    }
}
