package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.pipeline.Invocation;
import java.io.StringReader;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.CharBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A key is a text that is the same for equal values and in every process; what gives no such text is refused. */
@SuppressWarnings("JavaUtilDate") // what it is about
class KeyTextTests {

    private static final UUID ID = UUID.fromString("6f1c9c1e-7d0b-4b5c-9d0e-2f1f6f0e8a11");

    static Stream<Object> certain() {
        return Stream.of(
                "o-1",
                CharBuffer.wrap("o-1"),
                'c',
                (byte) 1,
                7L,
                new BigInteger("7"),
                new BigDecimal("7.50"),
                1.5,
                true,
                ID,
                TimeUnit.DAYS,
                URI.create("urn:order:1"),
                LocalDate.of(2026, 11, 22),
                Instant.EPOCH,
                ZonedDateTime.parse("2026-11-22T10:15:30+01:00[Europe/Berlin]"),
                Duration.ofSeconds(1),
                List.of("a", 1, ID),
                new TreeSet<>(List.of("b", "a")),
                new TreeMap<>(Map.of("a", 1)),
                new ArrayDeque<>(List.of("a")),
                new Point(1, "n"),
                new Holder(new Point(1, "n")),
                new Holder(Optional.of(List.of(1))),
                new Masked(Map.of("a", 1)),
                new Named("n"));
    }

    @ParameterizedTest
    @MethodSource
    void certain(Object value) {
        assertThat(key("#any", value)).isEqualTo(value.toString());
    }

    static Stream<Arguments> uncertain() {
        return Stream.of(
                arguments(Set.of("a", "b"), "no certain order"),
                arguments(new LinkedHashSet<>(List.of("a")), "no certain order"),
                arguments(new PriorityQueue<>(List.of("a")), "no certain order"),
                arguments(new HashMap<>(Map.of("a", 1)).values(), "no certain order"),
                arguments(Map.of("a", 1), "no certain order"),
                arguments(new Date(0), "time zone"),
                arguments(new java.sql.Timestamp(0), "time zone"),
                arguments(Calendar.getInstance(), "time zone"),
                arguments(new StringReader("a"), "java.io.StringReader"),
                arguments(new Holder(Set.of("secret")), "has a java.util.ImmutableCollections$Set12 in it"),
                arguments(new Holder(List.of(new Holder(new Date(0)))), "has a java.util.Date in it"),
                arguments(Optional.of(Set.of("a")), "no certain order"),
                arguments(new Holder(List.of(Map.of("secret", 1))), "in it"));
    }

    @ParameterizedTest
    @MethodSource
    void uncertain(Object order, String why) {
        for (String expression : List.of("#any", "'pay ' + #any", "#text + #any")) {
            assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                    .as(expression)
                    .isThrownBy(() -> key(expression, order))
                    .withMessageContaining(why)
                    .withMessageContaining("such as an id")
                    .withMessageNotContaining("secret");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#map",
                "#set",
                "#bytes",
                "#date",
                "#reader",
                "#maybe",
                "#request.tags",
                "#request.tags()",
                "#bean.tags",
                "#bean.getTags()",
                "'pay ' + #map",
                "#text ?: #set",
                "#text == 'a' ? #text : #request.tags"
            })
    void isRefusedAtStartupWhereItsTypeIsKnown(String expression) {
        assertThatIllegalArgumentException().isThrownBy(() -> parse(expression)).withMessageContaining("such as an id");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#text",
                "#list",
                "#any",
                "#map['id']",
                "#set.size()",
                "#request.name",
                "#request.tags.size()",
                "#bean.name",
                "#bytes.length",
                "#date.time",
                "#date.getTime()",
                "#map == null ? 'a' : #text"
            })
    void isTakenAtStartupWhereItMayBeCertain(String expression) {
        assertThat(parse(expression)).isNotNull();
    }

    private static KeyExpression parse(String expression) {
        Method method = Arrays.stream(KeyTextTests.class.getDeclaredMethods())
                .filter(declared -> declared.getName().equals("pay"))
                .findFirst()
                .orElseThrow();
        return KeyExpression.parse(expression, method, true);
    }

    private static @Nullable String key(String expression, Object any) {
        return parse(expression).key(new Invocation() {
            @Override
            public @Nullable Object proceed() {
                throw new UnsupportedOperationException("a key is taken before the call");
            }

            @Override
            public @Nullable Object[] arguments() {
                return new @Nullable Object[] {"o-1", any};
            }
        });
    }

    @SuppressWarnings("unused")
    void pay(
            String text,
            Object any,
            Map<String, String> map,
            Set<String> set,
            List<String> list,
            byte[] bytes,
            Date date,
            StringReader reader,
            Optional<Map<String, String>> maybe,
            Tagged request,
            Bean bean) {}

    record Tagged(String name, Set<String> tags) {}

    record Point(int x, String name) {}

    record Holder(Object part) {}

    /** A record whose text does not show what it holds. */
    record Masked(Map<String, Integer> parts) {

        @Override
        public String toString() {
            return "masked";
        }
    }

    static class Bean {

        public String getName() {
            return "name";
        }

        public Set<String> getTags() {
            return Set.of();
        }
    }

    static class Named {

        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return "named " + name;
        }
    }
}
