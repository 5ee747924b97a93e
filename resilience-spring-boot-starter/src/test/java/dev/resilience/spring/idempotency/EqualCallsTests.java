package dev.resilience.spring.idempotency;

import static dev.resilience.spring.idempotency.Payments.order;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.spring.idempotency.Payments.Account;
import dev.resilience.spring.idempotency.Payments.Card;
import dev.resilience.spring.idempotency.Payments.Nothing;
import dev.resilience.spring.idempotency.Payments.Point;
import dev.resilience.spring.idempotency.Payments.Stop;
import dev.resilience.spring.idempotency.Payments.User;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** What counts as the same call under one key. */
class EqualCallsTests {

    @Test
    void forEqualArguments() {
        IdempotentApplication.with(Payments.class, payments -> {
            payments.pay("k", order(), List.of("a", "b"));
            payments.pay("k", order(), new ArrayList<>(List.of("a", "b")));
            assertThat(payments.calls()).hasValue(1);
        });
    }

    @Test
    void forEqualTextsNumbersAndTruths() {
        IdempotentApplication.with(Payments.class, payments -> {
            payments.transfer("k", "a", "b", 1L, true);
            payments.transfer("k", new String("a"), "b", Long.valueOf("1"), true);
            payments.transfer("nothing", null, null, null, null);
            payments.transfer("nothing", null, null, null, null);
            assertThat(payments.calls()).hasValue(2);
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
    void whateverTheCallerMayDoByNow() {
        User before = new User("alice", List.of("customer"));
        User after = new User("alice", List.of("customer", "admin"));
        IdempotentApplication.with(Payments.class, payments -> {
            payments.payFor("k", before, before);
            payments.payFor("k", after, after);
            assertThat(payments.calls()).hasValue(1);
        });
    }

    /** The class of a lambda has another name in every process. */
    @Test
    void ofLambdasThatShowTheSame() {
        IdempotentApplication.with(Payments.class, payments -> {
            payments.runNamed("k", () -> "stop");
            payments.runNamed("k", () -> "stop");
            assertThat(payments.calls()).hasValue(1);
        });
    }

    @Test
    void ofThingsThatHoldNothing() {
        IdempotentApplication.with(Payments.class, payments -> {
            payments.run("k", new Nothing());
            payments.run("k", new Nothing());
            payments.runAny("k", new Nothing());
            payments.runAny("k", new Nothing());
            payments.runAny("stop", Stop.NOW);
            payments.runAny("stop", Stop.NOW);
            assertThat(payments.calls()).hasValue(3);
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
                IdempotentApplication.runner().withPropertyValues("resilience.idempotency.default.fingerprint=false"),
                Payments.class,
                payments -> {
                    payments.pay("k", order(), List.of("a"));
                    payments.pay("k", order(), List.of("b"));
                    assertThat(payments.calls()).hasValue(1);
                });
    }
}
