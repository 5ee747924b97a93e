package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.kind.CallKey;
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
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

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
                new Point(1, "n"),
                new Holder(new Point(1, "n")),
                new Holder(Optional.of(List.of(1))),
                new Named("n"));
    }

    @ParameterizedTest
    @MethodSource
    void certain(Object value) {
        assertThat(key("#any", value)).isEqualTo(value.toString());
    }

    static Stream<Object> uncertain() {
        return Stream.of(
                Set.of("a", "b"),
                new LinkedHashSet<>(List.of("a")),
                new TreeSet<>(List.of("a")),
                new PriorityQueue<>(List.of("a")),
                new HashMap<>(Map.of("a", 1)).values(),
                Map.of("a", 1),
                new TreeMap<>(Map.of("a", 1)),
                new Date(0),
                new java.sql.Timestamp(0),
                Calendar.getInstance(),
                new StringReader("a"),
                new Object(),
                new Bean(),
                (Supplier<String>) () -> "a",
                new OwnSet(),
                Mono.just("a"),
                Flux.just("a"),
                CompletableFuture.completedFuture("a"),
                new Holder(Set.of("secret")),
                new Holder(List.of(new Holder(new Date(0)))),
                Optional.of(Set.of("a")),
                new Holder(List.of(Map.of("secret", 1))));
    }

    @ParameterizedTest
    @MethodSource
    void uncertain(Object order) {
        for (String expression : List.of("#any", "'pay ' + #any", "#text + #any")) {
            assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                    .as(expression)
                    .isThrownBy(() -> key(expression, order))
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
                "#mono",
                "#future",
                "'pay ' + #map",
                "#text ?: #set",
                "#text == 'a' ? #text : #map"
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
                "#request.tags",
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
        return new KeyExpression(CallKey.parse(expression, method), true);
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
            Mono<String> mono,
            CompletableFuture<String> future,
            Tagged request,
            Bean bean) {}

    record Tagged(String name, Set<String> tags) {}

    record Point(int x, String name) {}

    record Holder(Object part) {}

    static class OwnSet extends HashSet<String> {}

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
