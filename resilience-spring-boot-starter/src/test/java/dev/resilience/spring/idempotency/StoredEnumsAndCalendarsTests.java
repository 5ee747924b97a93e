package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.idempotency.json.Json.ResultCodec;
import java.nio.charset.StandardCharsets;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.json.JsonMapper;

/** Constants are kept by their names and calendars with their instants, whatever the application shows of them. */
class StoredEnumsAndCalendarsTests {

    private static final Json JSON = new Json(JsonMapper::new);

    private static Object again(Object value, ResolvableType type) {
        ResultCodec codec = JSON.codec(type);
        return codec.read(codec.write(value));
    }

    private static String text(Object value) {
        return new String(JSON.codec(ResolvableType.forClass(value.getClass())).write(value), StandardCharsets.UTF_8);
    }

    static Stream<Arguments> constants() {
        return Stream.of(Code.values(), Counted.values(), Wide.values(), Level.values(), Lower.values())
                .flatMap(Stream::of)
                .map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("constants")
    void constantsComeBackByTheirNames(Enum<?> constant) {
        ResolvableType type = ResolvableType.forClass(constant.getDeclaringClass());
        assertThat(again(constant, type)).isSameAs(constant);
        assertThat(again(List.of(constant), ResolvableType.forClassWithGenerics(List.class, type)))
                .isEqualTo(List.of(constant));
        ResolvableType map =
                ResolvableType.forClassWithGenerics(Map.class, type, ResolvableType.forClass(String.class));
        assertThat(again(Map.of(constant, "a"), map)).isEqualTo(Map.of(constant, "a"));
        assertThat(text(constant)).isEqualTo('"' + constant.name() + '"');
    }

    @Test
    void constantsOfRecordsToo() {
        Holder first = new Holder(Level.HIGH, Code.TWO);
        assertThat(again(first, ResolvableType.forClass(Holder.class))).isEqualTo(first);
        assertThat(text(first)).contains("HIGH", "TWO");
    }

    @Test
    void calendarsKeepTheirInstants() {
        for (Class<?> type : List.of(Calendar.class, GregorianCalendar.class)) {
            Calendar second = (Calendar) again(calendar(), ResolvableType.forClass(type));
            assertThat(second.toInstant()).isEqualTo(calendar().toInstant());
        }
    }

    @Test
    void aResultThatContainsItselfIsRefused() {
        Map<String, Object> map = new HashMap<>();
        map.put("inner", map);
        Node node = new Node();
        node.next = new Node();
        node.next.next = node;
        ResultCodec maps = JSON.codec(ResolvableType.forClassWithGenerics(Map.class, String.class, Object.class));
        assertThatIllegalStateException()
                .isThrownBy(() -> maps.write(map))
                .withMessageContaining("java.util.HashMap cannot be kept: it contains itself");
        ResultCodec nodes = JSON.codec(ResolvableType.forClass(Node.class));
        assertThatIllegalStateException()
                .isThrownBy(() -> nodes.write(node))
                .withMessageContaining("Node cannot be kept: it contains itself");
    }

    @Test
    void aMapWithANullKeyIsRefused() {
        Map<@Nullable String, Object> map = new HashMap<>();
        map.put(null, "a");
        ResultCodec maps = JSON.codec(ResolvableType.forClassWithGenerics(Map.class, String.class, Object.class));
        assertThatThrownBy(() -> maps.write(map)).hasMessageContaining("Null key for a Map");
    }

    private static Calendar calendar() {
        Calendar calendar = new GregorianCalendar(TimeZone.getTimeZone("Asia/Tokyo"));
        calendar.setTimeInMillis(1_234_567_890_123L);
        return calendar;
    }

    static final class Node {

        public @Nullable Node next;
    }

    record Holder(
            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Level level, Code code) {}

    enum Code {
        ONE(2),
        TWO(1);

        private final int number;

        Code(int number) {
            this.number = number;
        }

        @JsonValue
        int number() {
            return number;
        }
    }

    @SuppressWarnings("ImmutableEnumChecker") // a Number is what it is about
    enum Counted {
        ONE(2),
        TWO(1);

        private final Number number;

        Counted(int number) {
            this.number = number;
        }

        @JsonValue
        Number number() {
            return number;
        }
    }

    @SuppressWarnings("EnumOrdinal") // what it is about
    enum Wide {
        ONE,
        TWO;

        @JsonValue
        long number() {
            return 10L - ordinal();
        }

        @JsonCreator
        static Wide of(long number) {
            return number == 10 ? ONE : TWO;
        }
    }

    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    enum Level {
        LOW,
        HIGH
    }

    enum Lower {
        LOW;

        @JsonValue
        String text() {
            return "low";
        }
    }
}
