package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.kind.CallExpression;
import dev.resilience.spring.kind.CallKey;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.ReflectionUtils;

/** What a key expression may be, and which key it gives. */
class KeyExpressionTests {

    private static final UUID ID = UUID.fromString("6f1c9c1e-7d0b-4b5c-9d0e-2f1f6f0e8a11");

    private final Request request = new Request("r-1", new Customer("c-1"), Map.of("trace", "t-1"), List.of("x", "y"));

    /** A conversion would read a buffer to its end, and the method would find nothing in it. */
    @Test
    void theValueIsNotConverted() throws NoSuchMethodException {
        ByteBuffer payload = ByteBuffer.wrap(new byte[] {1, 2, 3});
        CallExpression expression = CallExpression.ofArguments(
                "#p0.content", KeyExpressionTests.class.getDeclaredMethod("receive", Message.class));

        assertThat(expression.value(new Object[] {new Message(payload)})).isSameAs(payload);
        assertThat(payload.remaining()).isEqualTo(3);
    }

    private record Message(ByteBuffer content) {}

    @SuppressWarnings({"unused", "EmptyMethod"}) // of an expression
    private static void receive(Message message) {}

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "#order, o-1",
                "#p0, o-1",
                "#a0, o-1",
                "#p1 + ':' + #order, 42:o-1",
                "#amount, 42",
                "#request.id, r-1",
                "#request.id(), r-1",
                "#request.customer.name, c-1",
                "#request.customer.getName(), c-1",
                "#request.headers['trace'], t-1",
                "#request.tags[1], y",
                "#p2.tags.size(), 2",
                "#order.toUpperCase(), O-1",
                "#order + '-' + #request.customer.name, o-1-c-1",
                "#request.tags.?[#this > 'x'].size(), 1",
                "#request.tags.![#this + #amount][1], y42",
                "#request?.id, r-1",
                "#amount > 10 ? 'large' : #order, large",
                "#uuid, 6f1c9c1e-7d0b-4b5c-9d0e-2f1f6f0e8a11"
            })
    void reachesEveryPartOfTheArguments(String expression, String key) {
        assertThat(key(expression, "o-1", 42, request, ID)).isEqualTo(key);
    }

    /** Spring's own expressions take the second argument there. */
    @Test
    void takesAnArgumentByItsNameThoughThatReadsLikeANumber() throws Exception {
        Method merge = KeyExpressionTests.class.getDeclaredMethod("merge", String.class, String.class);
        KeyExpression key = new KeyExpression(CallKey.parse("#a1", merge), true);

        assertThat(key(key, "one", "two")).isEqualTo("one");
    }

    @SuppressWarnings("unused")
    void merge(String a1, String a2) {}

    @Test
    void keepsTheKeyByteForByte() {
        assertThat(key("#order", " Ö-1 ", 42, request, ID)).isEqualTo(" Ö-1 ");
    }

    @Test
    void takesTheKeyOutOfAnOptional() {
        assertThat(key("#order", Optional.of("o-1"), 42, request, ID)).isEqualTo("o-1");
    }

    static Stream<Arguments> optionalNumbers() {
        return Stream.of(
                arguments(OptionalLong.of(7), "7", OptionalLong.empty()),
                arguments(OptionalInt.of(7), "7", OptionalInt.empty()),
                arguments(OptionalDouble.of(7.5), "7.5", OptionalDouble.empty()));
    }

    @ParameterizedTest
    @MethodSource("optionalNumbers")
    void takesTheKeyOutOfAnOptionalNumber(Object some, String key, Object none) {
        assertThat(key("#order", some, 42, request, ID)).isEqualTo(key);
        assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                .isThrownBy(() -> key("#order", none, 42, request, ID))
                .withMessageContaining("'#order' is empty");
    }

    @Test
    void takesARecordByItsText() {
        assertThat(key("#order", new Point(1, "a@b"), 42, request, ID)).isEqualTo("Point[x=1, name=a@b]");
    }

    @Nested
    class WithoutAKey {

        @ParameterizedTest
        @ValueSource(strings = {"#order", "#request.customer", "#request.customer.name", "#request.headers['none']"})
        void theCallIsRefused(String expression) {
            Request empty = new Request("r-1", null, Map.of(), List.of());
            assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                    .isThrownBy(() -> key(expression, null, 42, empty, ID))
                    .withMessageContaining("'" + expression + "' is null");
        }

        @Test
        void anEmptyOptionalIsNoKey() {
            assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                    .isThrownBy(() -> key("#order", Optional.empty(), 42, request, ID))
                    .withMessageContaining("'#order' is empty");
        }

        @Test
        void theMethodDoesNotRun() {
            IdempotentApplication.with(Payments.class, payments -> {
                assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                        .isThrownBy(() -> payments.pay(null, 42));
                assertThat(payments.calls()).hasValue(0);
            });
        }

        @Test
        void anAsynchronousCallFailsInItsFuture() {
            IdempotentApplication.with(Payments.class, payments -> {
                assertThat(payments.payLater(null))
                        .isCompletedExceptionally()
                        .failsWithin(java.time.Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(IdempotencyKeyMissingException.class);
                assertThat(payments.calls()).hasValue(0);
            });
        }
    }

    @Nested
    class WithAKeyThatIsNone {

        @Test
        void anObjectWithoutTextOfItsOwnIsRefused() {
            assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                    .isThrownBy(() -> key("#request.customer", "o-1", 42, request, ID))
                    .withMessageContaining("Customer")
                    .withMessageContaining("toString()");
        }

        @Test
        void anArrayIsRefused() {
            assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                    .isThrownBy(() -> key("#order", new char[] {'a'}, 42, request, ID));
            assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                    .isThrownBy(() -> key("#order.toCharArray()", "o-1", 42, request, ID));
        }

        @Test
        void anArrayInsideOfAKeyIsRefused() {
            List<Object> keys = List.of(
                    new Digest(new byte[] {1}),
                    new Names(new String[] {"a"}),
                    List.of(new int[] {1}),
                    List.of(new Holder(new Digest(new byte[0]))));
            for (Object key : keys) {
                assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                        .isThrownBy(() -> key("#order", key, 42, request, ID))
                        .withMessageContaining("'#order'")
                        .withMessageContaining("in it");
            }
        }

        @Test
        void anObjectWithoutTextOfItsOwnInsideOfAKeyIsRefused() {
            Object plain = new Customer("c-1");
            List<Object> keys =
                    List.of(new Holder(plain), List.of(plain), Optional.of(List.of(plain)), List.of(new Holder(plain)));
            for (Object key : keys) {
                assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                        .isThrownBy(() -> key("#order", key, 42, request, ID))
                        .withMessageContaining("'#order'")
                        .withMessageContaining("with a " + Customer.class.getName() + " in it")
                        .withMessageContaining("toString()");
            }
            assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                    .isThrownBy(() -> key("'pay ' + #order", new Holder(plain), 42, request, ID))
                    .withMessageContaining("toString()");
        }

        @Test
        void aListThatContainsItselfIsRefused() {
            List<Object> list = new ArrayList<>();
            list.add(List.of(list));
            assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                    .isThrownBy(() -> key("#order", list, 42, request, ID))
                    .withMessageContaining("which contains itself");
        }

        @Test
        void aTextThatOnlyLooksLikeOneIsNot() {
            String text = Customer.class.getName() + "@1f";
            assertThat(key("#order", text, 42, request, ID)).isEqualTo(text);
            assertThat(key("#order", List.of(text), 42, request, ID)).isEqualTo("[" + text + "]");
            assertThat(key("'a@' + #order.toString()", new Holder("b@face"), 42, request, ID))
                    .isEqualTo("a@Holder[part=b@face]");
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "a\u0000b", "a\nb"})
        void emptyOrWithControlCharacters(String order) {
            IdempotentApplication.with(
                    Payments.class,
                    payments -> assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                            .isThrownBy(() -> payments.pay(order, 42)));
        }

        @Test
        void longerThan255Characters() {
            IdempotentApplication.with(Payments.class, payments -> {
                payments.pay("x".repeat(255), 42);
                assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                        .isThrownBy(() -> payments.pay("x".repeat(256), 42));
            });
        }
    }

    @Nested
    class IsRefusedAtStartup {

        @ParameterizedTest
        @ValueSource(strings = {"#order.", "#order = = #p0", "{", "#", ""})
        void ifItDoesNotParse(String expression) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> parse(expression))
                    .withMessageContaining("it does not parse");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "order",
                    "'order'",
                    "42",
                    "{1, 2}",
                    "#root",
                    "#this",
                    "#this.order",
                    "#this.?[#order > 1]",
                    "#ctx.order",
                    "#p9"
                })
        void ifItNamesNoArgument(String expression) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> parse(expression))
                    .withMessageContaining("no argument")
                    .withMessageContaining("#order, #p0, #p1, #p2, #p3, #request, #uuid");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "#order + T(java.lang.Runtime).getRuntime()",
                    "#order + @orders",
                    "new java.io.File(#order)",
                    "#order = 'x'",
                    "#request.id = 'x'",
                    "#order + #amount++"
                })
        void ifItReachesBeyondTheArgumentsOrChangesThem(String expression) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> parse(expression))
                    .withMessageContaining("is not available here");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"#order.class.forName('java.lang.Runtime')"})
    void canChangeNothingAndLoadNothing(String expression) {
        assertThatIllegalStateException()
                .isThrownBy(() -> key(expression, "o-1", 42, request, ID))
                .withMessageContaining("cannot be evaluated");
    }

    private static KeyExpression parse(String expression) {
        Method method = ReflectionUtils.findMethod(
                KeyExpressionTests.class, "pay", String.class, int.class, Request.class, UUID.class);
        return new KeyExpression(CallKey.parse(expression, java.util.Objects.requireNonNull(method)), true);
    }

    private static @Nullable String key(String expression, @Nullable Object... arguments) {
        return key(parse(expression), arguments);
    }

    private static @Nullable String key(KeyExpression expression, @Nullable Object... arguments) {
        return expression.key(new Invocation() {
            @Override
            public @Nullable Object proceed() {
                throw new UnsupportedOperationException("a key is taken before the call");
            }

            @Override
            public @Nullable Object[] arguments() {
                return arguments;
            }
        });
    }

    @SuppressWarnings("unused")
    void pay(String order, int amount, Request request, UUID uuid) {}

    record Request(String id, @Nullable Customer customer, Map<String, String> headers, List<String> tags) {}

    record Point(int x, String name) {}

    @SuppressWarnings("ArrayRecordComponent") // what it is about
    record Holder(Object part) {}

    @SuppressWarnings("ArrayRecordComponent") // what it is about
    record Digest(byte[] bytes) {}

    @SuppressWarnings("ArrayRecordComponent") // what it is about
    record Names(String[] all) {}

    static class Customer {

        private final String name;

        Customer(String name) {
            this.name = name;
        }

        public String getName() {
            return name;
        }
    }

    static class Payments {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @Idempotent(key = "#order")
        String pay(@Nullable String order, int amount) {
            return order + amount + calls.incrementAndGet();
        }

        @Idempotent(key = "#order")
        CompletableFuture<String> payLater(@Nullable String order) {
            return CompletableFuture.completedFuture(order + calls.incrementAndGet());
        }
    }
}
