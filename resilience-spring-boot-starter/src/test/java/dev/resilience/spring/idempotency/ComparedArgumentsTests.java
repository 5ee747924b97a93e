package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyReusedException;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.mock.web.MockMultipartFile;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.StdSerializer;

/** Two arguments are equal if their fields are, whatever JSON shows of them to clients. */
@SuppressWarnings({"JavaUtilDate", "JdkObsolete", "UnnecessaryStringBuilder", "ObjectToString"}) // as arguments may be
class ComparedArgumentsTests {

    private static final byte[] BYTES = {1, 2, 3};

    private static AnnotationConfigApplicationContext application;

    @BeforeAll
    static void start() {
        application = new AnnotationConfigApplicationContext();
        TestPropertyValues.of("resilience.idempotency-store.type=memory").applyTo(application);
        application.register(
                AopAutoConfiguration.class,
                JacksonAutoConfiguration.class,
                dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration.class,
                Shop.class);
        application.refresh();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    static Stream<Arguments> different() {
        return Stream.of(
                // numbers
                pair("the scale of a decimal", new BigDecimal("1.0"), new BigDecimal("1.00")),
                pair("the sign of zero", 0.0, -0.0),
                pair("infinities", Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY),
                // texts
                pair("composed and decomposed letters", "\u00e9", "e\u0301"),
                pair("upper and lower case", "A", "a"),
                pair("blanks around a text", "a", "a "),
                pair("a truth and its text", true, "true"),
                pair("null and its text", null, "null"),
                pair("null and an empty text", null, ""),
                pair("a constant with a body and another", Signal.RED, Signal.GREEN),
                pair("patterns with other flags", Pattern.compile("a"), Pattern.compile("a", Pattern.MULTILINE)),
                pair("languages", Locale.GERMAN, Locale.GERMANY),
                // times
                pair("nanoseconds", Instant.ofEpochSecond(1, 1), Instant.ofEpochSecond(1, 2)),
                pair(
                        "one instant at two offsets",
                        OffsetDateTime.parse("2026-01-01T10:00Z"),
                        OffsetDateTime.parse("2026-01-01T11:00+01:00")),
                pair(
                        "an offset and a zone",
                        ZonedDateTime.parse("2026-01-01T10:00+01:00"),
                        ZonedDateTime.parse("2026-01-01T10:00+01:00[Europe/Paris]")),
                pair(
                        "two zones of one offset",
                        ZonedDateTime.parse("2026-01-01T10:00+01:00[Europe/Berlin]"),
                        ZonedDateTime.parse("2026-01-01T10:00+01:00[Europe/Paris]")),
                // containers
                pair("the order of a list", List.of(1, 2), List.of(2, 1)),
                pair("how lists nest", List.of(List.of(1), 2), List.of(List.of(1, 2))),
                pair("keys of two types", Map.of(1, "a"), Map.of("1", "a")),
                pair("a null key and its text", mapOf(null, 1), mapOf("null", 1)),
                pair("a null key and an empty one", mapOf(null, 1), mapOf("", 1)),
                pair("a null entry and none", mapOf("a", null), Map.of()),
                pair("a number and a text in an Optional", Optional.of(1), Optional.of("1")),
                pair("the order of a queue", new ArrayDeque<>(List.of(1, 2)), new ArrayDeque<>(List.of(2, 1))),
                pair("how often a value is there", valuesOf(1, 1, 2), valuesOf(1, 2, 2)),
                // records and beans
                pair("a record and a map", new Pay("1"), Map.of("id", "1")),
                pair("a field of a subclass", new Derived("1", "a"), new Derived("1", "b")),
                pair("a field without accessors", new Tip(1), new Tip(2)),
                // hidden from JSON
                pair("a masked property", new Masked("4000"), new Masked("5000")),
                pair("a masked class", new MaskedCard("4000"), new MaskedCard("5000")),
                pair("what a value is shown by", new Shown("x", "4000"), new Shown("x", "5000")),
                pair("a property with a setter only", new Setters("4000"), new Setters("5000")),
                pair("a getter that is ignored", new HalfIgnored("4000"), new HalfIgnored("5000")),
                pair("properties that are not included", new Included("x", "4000"), new Included("x", "5000")),
                pair("an ignored property", new Ignored("4000"), new Ignored("5000")),
                pair("scripts of a language", Locale.forLanguageTag("und-Latn"), Locale.forLanguageTag("und-Cyrl")),
                pair("a write-only property", new WriteOnlyCard("4000"), new WriteOnlyCard("5000")));
    }

    static Stream<Arguments> equal() {
        return Stream.of(
                pair("texts", "a", new String("a")),
                pair("NaNs", Double.NaN, Double.longBitsToDouble(0x7ff8000000000001L)),
                pair("decimals", new BigDecimal("1.50"), new BigDecimal("1.50")),
                pair("bytes", BYTES.clone(), BYTES.clone()),
                pair("buffers", ByteBuffer.wrap(BYTES), ByteBuffer.wrap(BYTES.clone())),
                pair("paths", Path.of("a", "b"), Path.of("a/b")),
                pair("dates", LocalDate.of(2026, 1, 1), LocalDate.parse("2026-01-01")),
                pair("calendars", calendar("Asia/Tokyo"), calendar("Asia/Tokyo")),
                pair("lists", new LinkedList<>(List.of(1, 2)), Arrays.asList(1, 2)),
                pair("empty lists", new ArrayList<>(), Collections.emptyList()),
                pair("sets", new LinkedHashSet<>(List.of(1, 2)), new HashSet<>(Set.of(2, 1))),
                pair("maps", new TreeMap<>(Map.of("a", 1, "b", 2)), linked("b", 2, "a", 1)),
                pair("maps of enums", new EnumMap<>(Map.of(Colour.RED, 1)), Map.of(Colour.RED, 1)),
                pair("maps of maps", Map.of("a", linked("x", 1, "y", 2)), Map.of("a", linked("y", 2, "x", 1))),
                pair("maps with a null key", mapOf(null, 1), mapOf(null, 1)),
                pair("queues by priority", queue(1, 2, 3), queue(3, 1, 2)),
                pair("records", new Order(new Pay("1")), new Order(new Pay("1"))),
                pair("sets of records", Set.of(new Pay("1"), new Refund("1")), Set.of(new Refund("1"), new Pay("1"))),
                pair("objects with a cached hash", new Cached("a", 0), new Cached("a", 7)));
    }

    private static Arguments pair(String name, @Nullable Object one, @Nullable Object other) {
        return Arguments.of(name, one, other);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("different")
    void areRefusedIfTheyDiffer(String name, @Nullable Object one, @Nullable Object other) {
        Shop shop = application.getBean(Shop.class);
        int before = shop.calls().get();
        shop.take(name, one);
        shop.take(name, one);
        assertThatExceptionOfType(IdempotencyKeyReusedException.class).isThrownBy(() -> shop.take(name, other));
        shop.put(name, Arrays.asList(one, "x"));
        assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                .isThrownBy(() -> shop.put(name, Arrays.asList(other, "x")));
        assertThat(shop.calls()).hasValue(before + 2);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("equal")
    void areTheSameCallIfTheyDoNot(String name, Object one, Object other) {
        Shop shop = application.getBean(Shop.class);
        int before = shop.calls().get();
        shop.take("equal " + name, one);
        shop.take("equal " + name, other);
        shop.put("equal " + name, List.of(one));
        shop.put("equal " + name, List.of(other));
        assertThat(shop.calls()).hasValue(before + 2);
    }

    static Stream<Arguments> refused() {
        Map<String, Object> map = new HashMap<>();
        map.put("inner", List.of(map));
        Object[] array = new Object[1];
        array[0] = array;
        Object deep = "bottom";
        for (int i = 0; i < 10_000; i++) {
            deep = List.of(deep);
        }
        Supplier<String> code = () -> "a";
        ProxyFactory proxy = new ProxyFactory(new Named());
        proxy.setProxyTargetClass(true);
        return Stream.of(
                Arguments.of("contains itself", map),
                Arguments.of("", array),
                Arguments.of("Document nesting depth", deep),
                Arguments.of("is code and no value", new Box<>(code)),
                Arguments.of("is code and no value", new Box<>(code)),
                Arguments.of("is a proxy, whose fields are not those of the object behind it", proxy.getProxy()),
                Arguments.of("MockMultipartFile is not a value", new Box<>(new MockMultipartFile("a", BYTES))),
                Arguments.of("can be read only once", List.of(1).iterator()),
                Arguments.of("nesting depth", Node.friends(12)),
                Arguments.of("takes more than 64 MB", new byte[64 << 20]),
                Arguments.of("is not a value", new Box<>(new ReentrantLock())),
                Arguments.of("java.lang.Thread", new Box<>(Thread.currentThread())));
    }

    /** The names are of the reasons alone: to print a graph of friends, or 64 MB, took longer than all else in this class. */
    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("refused")
    void areRefusedIfNothingTellsThemApart(String why, Object argument) {
        Shop shop = application.getBean(Shop.class);
        int before = shop.calls().get();
        assertThatIllegalStateException()
                .isThrownBy(() -> shop.take("refused", argument))
                .withMessageContaining("Shop.take(")
                .withMessageContaining(why)
                .withMessageContaining("'fingerprint: false'");
        assertThat(shop.calls()).hasValue(before);
    }

    private static GregorianCalendar calendar(String zone) {
        GregorianCalendar calendar = new GregorianCalendar(TimeZone.getTimeZone(zone), Locale.ROOT);
        calendar.setTimeInMillis(1_234_567_890_123L);
        calendar.setFirstDayOfWeek(Calendar.MONDAY);
        return calendar;
    }

    private static Map<@Nullable String, @Nullable Object> mapOf(@Nullable String key, @Nullable Object value) {
        Map<@Nullable String, @Nullable Object> map = new HashMap<>();
        map.put(key, value);
        return map;
    }

    private static Map<String, Object> linked(String one, Object value, String other, Object otherValue) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put(one, value);
        map.put(other, otherValue);
        return map;
    }

    private static Collection<Integer> valuesOf(int... numbers) {
        Map<Integer, Integer> map = new HashMap<>();
        for (int number : numbers) {
            map.put(map.size(), number);
        }
        return map.values();
    }

    private static PriorityQueue<Integer> queue(int... numbers) {
        PriorityQueue<Integer> queue = new PriorityQueue<>();
        for (int number : numbers) {
            queue.add(number);
        }
        return queue;
    }

    enum Colour {
        RED
    }

    enum Signal {
        RED {
            @Override
            public String toString() {
                return "stop";
            }
        },
        GREEN
    }

    interface Command {}

    record Pay(String id) implements Command {}

    record Refund(String id) implements Command {}

    record Order(Command command) {}

    record Box<T>(T value) {}

    static class Base {

        private final String name;

        Base(String name) {
            this.name = name;
        }

        public String getName() {
            return name;
        }
    }

    static class Derived extends Base {

        private final @Nullable String name;

        Derived(String name, @Nullable String own) {
            super(name);
            this.name = own;
        }

        public @Nullable String own() {
            return name;
        }
    }

    /** As Hibernate's, which hold their session. */
    static final class ListOfALibrary extends AbstractList<String> {

        private final String element;
        private final Thread session = Thread.currentThread();

        ListOfALibrary(String element) {
            this.element = element;
        }

        @Override
        public String get(int index) {
            return session.isAlive() ? element : "";
        }

        @Override
        public int size() {
            return 1;
        }
    }

    static final class Charges extends ArrayList<String> {

        Charges(String element) {
            super(List.of(element));
        }
    }

    static final class Refunds extends ArrayList<String> {

        Refunds(String element) {
            super(List.of(element));
        }
    }

    interface Payer {

        String getName();
    }

    interface Payee {

        String getName();
    }

    static final class Seen {

        final transient String number;

        Seen(String number) {
            this.number = number;
        }
    }

    static final class WritesItself implements Serializable {

        private transient String number;

        WritesItself(String number) {
            this.number = number;
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.writeUTF(number);
        }
    }

    static class Named {

        public String name() {
            return "a";
        }
    }

    static final class Tip {

        private final int amount;

        Tip(int amount) {
            this.amount = amount;
        }

        @Override
        public String toString() {
            return "a tip of " + amount;
        }
    }

    static final class Money extends BigDecimal {

        private final String currency;

        Money(String amount, String currency) {
            super(amount);
            this.currency = currency;
        }

        public String getCurrency() {
            return currency;
        }
    }

    static final class Basket extends ArrayList<String> {

        private final String owner;

        Basket(String owner, String item) {
            this.owner = owner;
            add(item);
        }

        public String getOwner() {
            return owner;
        }
    }

    static final class Node {

        private final String name;
        private final List<Node> children = new ArrayList<>();
        private @Nullable Node parent;

        private Node(String name) {
            this.name = name;
        }

        static Node friends(int number) {
            List<Node> all = IntStream.range(0, number)
                    .mapToObj(i -> new Node("friend " + i))
                    .toList();
            all.forEach(one -> one.children.addAll(all));
            return all.get(0);
        }

        static Node family(String parent, String child) {
            Node root = new Node(parent);
            Node leaf = new Node(child);
            leaf.parent = root;
            root.children.add(leaf);
            return root;
        }

        public String text() {
            return name + parent;
        }
    }

    static final class Cached {

        private final String text;
        private transient int hash;

        Cached(String text, int hash) {
            this.text = text;
            this.hash = hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Cached that && that.text.equals(text);
        }

        @Override
        public int hashCode() {
            hash = text.hashCode();
            return hash;
        }
    }

    static final class Mask extends StdSerializer<Object> {

        Mask() {
            super(Object.class);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            generator.writeString("****");
        }
    }

    record Masked(@JsonSerialize(using = Mask.class) String number) {}

    @JsonSerialize(using = Mask.class)
    record MaskedCard(String number) {}

    record Shown(@JsonValue String name, String number) {}

    @JsonIgnoreProperties(value = "number", allowSetters = true)
    record Setters(String number) {}

    static final class HalfIgnored {

        private final String name = "x";
        private String number;

        HalfIgnored(String number) {
            this.number = number;
        }

        public String getName() {
            return name;
        }

        @JsonIgnore
        public String getNumber() {
            return number;
        }

        @JsonProperty
        public void setNumber(String number) {
            this.number = number;
        }
    }

    @JsonIncludeProperties("name")
    record Included(String name, String number) {}

    record Ignored(@JsonIgnore String number) {}

    static final class Transient {

        private final transient String number;

        Transient(String number) {
            this.number = number;
        }

        public String getNumber() {
            return number;
        }
    }

    record WriteOnlyCard(
            @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
            String number) {}

    static class Shop {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @Idempotent(key = "#key")
        int take(String key, @Nullable Object argument) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key")
        int put(String key, List<Object> arguments) {
            return calls.incrementAndGet();
        }
    }
}
