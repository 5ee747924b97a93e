package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyReusedException;
import java.math.BigDecimal;
import java.security.Principal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What counts as the same call under one key, and what as another. */
class FingerprintTests {

    @Nested
    class IsTheSame {

        @Test
        void forEqualArguments() {
            IdempotentApplication.with(Payments.class, payments -> {
                payments.pay("k", order(), List.of("a", "b"));
                payments.pay("k", order(), new ArrayList<>(List.of("a", "b")));
                assertThat(payments.calls()).hasValue(1);
            });
        }

        @Test
        void whateverTheOrderOfMapEntries() {
            Map<String, Object> forwards = new LinkedHashMap<>();
            forwards.put("a", 1);
            forwards.put("b", new LinkedHashMap<>(Map.of("c", 2, "d", 3)));
            Map<String, Object> inner = new LinkedHashMap<>();
            inner.put("d", 3);
            inner.put("c", 2);
            Map<String, Object> backwards = new LinkedHashMap<>();
            backwards.put("b", inner);
            backwards.put("a", 1);
            IdempotentApplication.with(Payments.class, payments -> {
                payments.payMap("k", forwards);
                payments.payMap("k", backwards);
                assertThat(payments.calls()).hasValue(1);
            });
        }

        @Test
        void whateverTheOrderOfMapEntriesWithKeysThatHaveNoOrder() {
            Map<Point, Integer> forwards = new LinkedHashMap<>();
            forwards.put(new Point(1, 2), 1);
            forwards.put(new Point(3, 4), 2);
            Map<Point, Integer> backwards = new LinkedHashMap<>();
            backwards.put(new Point(3, 4), 2);
            backwards.put(new Point(1, 2), 1);
            IdempotentApplication.with(Payments.class, payments -> {
                payments.payMap("k", Map.of("points", forwards));
                payments.payMap("k", Map.of("points", backwards));
                assertThat(payments.calls()).hasValue(1);
            });
        }

        @Test
        void whoeverCalls() {
            IdempotentApplication.with(Payments.class, payments -> {
                payments.payAs("k", () -> "alice, at her desk");
                payments.payAs("k", () -> "alice, on her phone");
                assertThat(payments.calls()).hasValue(1);
            });
        }

        @Test
        void whateverTheOrderInASet() {
            Set<Object> forwards = new LinkedHashSet<>(List.of("a", "b", Set.of(1, 2), new Point(1, 2)));
            forwards.add(null);
            Set<Object> backwards = new LinkedHashSet<>();
            backwards.add(null);
            backwards.addAll(List.of(new Point(1, 2), Set.of(2, 1), "b", "a"));
            IdempotentApplication.with(Payments.class, payments -> {
                payments.payMap("k", Map.of("items", forwards));
                payments.payMap("k", Map.of("items", backwards));
                assertThat(payments.calls()).hasValue(1);
            });
        }

        @Test
        void whateverTheOrderOfPropertiesInAJsonTree() {
            JsonMapper mapper = new JsonMapper();
            IdempotentApplication.with(Payments.class, payments -> {
                payments.payTree("k", mapper.readTree("{\"a\": 1, \"b\": {\"c\": 2, \"d\": 3}}"));
                payments.payTree("k", mapper.readTree("{\"b\": {\"d\": 3, \"c\": 2}, \"a\": 1}"));
                assertThat(payments.calls()).hasValue(1);
            });
        }

        @Test
        void evenIfTheMethodChangesItsArguments() {
            IdempotentApplication.with(Payments.class, payments -> {
                List<String> drained = new ArrayList<>(List.of("a", "b"));
                payments.drain("k", drained);
                payments.drain("k", new ArrayList<>(List.of("a", "b")));
                assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                        .isThrownBy(() -> payments.drain("k", drained));
                assertThat(payments.calls()).hasValue(1);
            });
        }

        @Test
        void evenIfTheCallerChangesTheArgumentsWhileAFutureRuns() {
            IdempotentApplication.with(Payments.class, payments -> {
                List<String> items = new ArrayList<>(List.of("a", "b"));
                CompletableFuture<Integer> running = payments.payLater("k", items);
                items.clear();
                payments.pending().complete(1);
                assertThat(running.join()).isEqualTo(1);
                assertThat(payments.payLater("k", List.of("a", "b")).join()).isEqualTo(1);
                assertThat(payments.calls()).hasValue(1);
            });
        }

        @Test
        void whateverTheClassesOfListsSetsAndMaps() {
            Map<String, Object> linked = new LinkedHashMap<>();
            linked.put("set", new LinkedHashSet<>(List.of(2, 1)));
            linked.put("list", new ArrayList<>(List.of("a")));
            IdempotentApplication.with(Payments.class, payments -> {
                payments.payMap("k", Map.of("list", List.of("a"), "set", Set.of(1, 2)));
                payments.payMap("k", linked);
                payments.payFrom("set", new LinkedHashSet<>(List.of(new Card("1"), new Account("1"))));
                payments.payFrom("set", new LinkedHashSet<>(List.of(new Account("1"), new Card("1"))));
                assertThat(payments.calls()).hasValue(2);
            });
        }

        @Test
        void ifThePolicyDoesNotCompare() {
            IdempotentApplication.with(
                    IdempotentApplication.runner()
                            .withPropertyValues("resilience.idempotency.default.fingerprint=false"),
                    Payments.class,
                    payments -> {
                        payments.pay("k", order(), List.of("a"));
                        payments.pay("k", order(), List.of("b"));
                        assertThat(payments.calls()).hasValue(1);
                    });
        }
    }

    @Nested
    class IsAnother {

        @Test
        void forAnotherArgumentThatIsNotInTheKey() {
            assertRefused(
                    payments -> payments.pay("k", order(), List.of("a", "b")),
                    payments -> payments.pay("k", order(), List.of("b", "a")));
        }

        @Test
        void forAnotherElementInASet() {
            assertRefused(
                    payments -> payments.payMap("k", Map.of("items", Set.of("a", "b"))),
                    payments -> payments.payMap("k", Map.of("items", Set.of("a", "c"))));
        }

        @Test
        void forOneOtherFieldDeepInside() {
            assertRefused(
                    payments -> payments.pay("k", order(), List.of()),
                    payments -> payments.pay(
                            "k",
                            new Order(new Money(new BigDecimal("10.51"), "EUR"), Instant.EPOCH, Optional.empty()),
                            List.of()));
        }

        @Test
        void forAnotherClassWithTheSameProperties() {
            assertRefused(payments -> payments.run("k", new Pay("1")), payments -> payments.run("k", new Refund("1")));
            assertRefused(
                    payments -> payments.payMap("k", Map.of("run", List.of(new Pay("1")))),
                    payments -> payments.payMap("k", Map.of("run", List.of(new Refund("1")))));
        }

        @Test
        void forAnElementThatOnlyItsDeclaredTypeTellsApart() {
            assertRefused(
                    payments -> payments.payFrom("k", List.of(new Account("1"))),
                    payments -> payments.payFrom("k", List.of(new Card("1"))));
        }

        @Test
        void forNull() {
            assertRefused(payments -> payments.payMap("k", Map.of()), payments -> payments.payMap("k", null));
        }

        @Test
        void andIsRefusedWhileTheFirstOneRuns() {
            IdempotentApplication.with(Payments.class, payments -> {
                CompletableFuture<Integer> running = payments.payLater("k", List.of("a"));
                assertThat(payments.payLater("k", List.of("b")))
                        .failsWithin(java.time.Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(IdempotencyKeyReusedException.class);
                payments.pending().complete(1);
                assertThat(running.join()).isEqualTo(1);
            });
        }

        private void assertRefused(
                IdempotentApplication.ContextConsumer<Payments> first,
                IdempotentApplication.ContextConsumer<Payments> second) {
            IdempotentApplication.with(Payments.class, payments -> {
                first.accept(payments);
                assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                        .isThrownBy(() -> second.accept(payments))
                        .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("'k'"));
                assertThat(payments.calls()).hasValue(1);
            });
        }
    }

    @Test
    void argumentsThatCannotBeWrittenAreRefusedBeforeTheStoreIsAsked() {
        IdempotentApplication.runner()
                .withBean(AskedStore.class)
                .withBean(Payments.class)
                .run(context -> {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> context.getBean(Payments.class).payMap("k", Map.of("a", new Broken())))
                            .withMessageContaining("Payments.payMap(")
                            .withMessageContaining("'fingerprint: false'");
                    assertThat(context.getBean(AskedStore.class).claims()).isZero();
                });
    }

    /** One key in two methods is two keys. */
    @Test
    void anotherMethodHasKeysOfItsOwn() {
        IdempotentApplication.with(Payments.class, payments -> {
            payments.pay("k", order(), List.of());
            payments.payMap("k", Map.of());
            payments.payMap("k", Map.of(), 1);
            assertThat(payments.calls()).hasValue(3);
        });
    }

    private static Order order() {
        return new Order(new Money(new BigDecimal("10.50"), "EUR"), Instant.EPOCH, Optional.empty());
    }

    record Point(int x, int y) {}

    record Money(BigDecimal amount, String currency) {}

    record Order(Money price, Instant at, Optional<String> note) {}

    static class Broken {

        public String getId() {
            throw new UnsupportedOperationException();
        }
    }

    sealed interface Command {}

    record Pay(String id) implements Command {}

    record Refund(String id) implements Command {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(Account.class), @JsonSubTypes.Type(Card.class)})
    sealed interface Payer {}

    record Account(@JsonValue String number) implements Payer {}

    record Card(@JsonValue String number) implements Payer {}

    static class Payments {

        private final AtomicInteger calls = new AtomicInteger();
        private final CompletableFuture<Integer> pending = new CompletableFuture<>();

        AtomicInteger calls() {
            return calls;
        }

        CompletableFuture<Integer> pending() {
            return pending;
        }

        @Idempotent(key = "#key")
        int pay(String key, Order order, List<String> items) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key")
        int payAs(String key, Principal payer) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key")
        int payMap(String key, Map<String, Object> items) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key")
        int payMap(String key, Map<String, Object> items, int times) {
            return calls.addAndGet(times);
        }

        @Idempotent(key = "#key")
        int payFrom(String key, Collection<Payer> payers) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key")
        int run(String key, Command command) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key")
        int payTree(String key, JsonNode tree) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key")
        int drain(String key, List<String> items) {
            items.clear();
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key")
        CompletableFuture<Integer> payLater(String key, List<String> items) {
            calls.incrementAndGet();
            return pending;
        }
    }
}
