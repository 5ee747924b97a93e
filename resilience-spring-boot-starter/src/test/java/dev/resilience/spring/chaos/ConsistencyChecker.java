package dev.resilience.spring.chaos;

import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.spring.chaos.History.Body;
import dev.resilience.spring.chaos.History.Call;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Compares what callers were told, what bodies did, and the effects that there are in the database. */
final class ConsistencyChecker {

    private final History history;
    private final Map<Long, String> effects;
    private final List<String> contradictions = new ArrayList<>();

    /**
     * @param effects the keys of the effects, by the numbers of their bodies
     */
    ConsistencyChecker(History history, Map<Long, String> effects) {
        this.history = history;
        this.effects = effects;
    }

    /** Returns what contradicts each other: nothing, as a rule. */
    List<String> check() {
        oneEffectForEachKey();
        history.calls().forEach(call -> {
            if (call.value() != null) {
                doneIsDone(call, call.value());
            } else if (saysThatNothingHappened(call.failure())) {
                nothingHappened(call);
            }
        });
        oneAnswerForEachKey();
        return contradictions;
    }

    private void oneEffectForEachKey() {
        Map<String, List<Long>> byKey = effects.entrySet().stream()
                .collect(Collectors.groupingBy(
                        Map.Entry::getValue, TreeMap::new, Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
        byKey.forEach((key, bodies) -> {
            if (bodies.size() > 1) {
                add(key + " has " + bodies.size() + " effects: of " + described(key, bodies));
            }
        });
    }

    private void doneIsDone(Call call, String value) {
        Body body = history.body(value);
        if (body == null || !body.call().key().equals(call.key())) {
            add(call + " is told what was never an answer: " + value);
        } else if (body.isUndone()) {
            check(body.call() == call, call + " is told the undone result of " + body);
            check(!effects.containsKey(body.number()), body + " has an effect though it has rolled back");
        } else {
            check(effects.containsKey(body.number()), call + " is told that it is done, without the effect of " + body);
        }
    }

    private void oneAnswerForEachKey() {
        Map<String, Set<String>> answers = history.calls().stream()
                .filter(call -> call.value() != null)
                .filter(call -> history.body(call.value()) != null
                        && !history.body(call.value()).isUndone())
                .collect(Collectors.groupingBy(
                        Call::key,
                        TreeMap::new,
                        Collectors.mapping(Call::value, Collectors.toCollection(LinkedHashSet::new))));
        answers.forEach((key, values) -> check(values.size() == 1, key + " has several answers: " + values));
    }

    /** Other failures say that it is not known, or that another call is at it. */
    private static boolean saysThatNothingHappened(Throwable failure) {
        return failure instanceof Orders.Declined
                || failure instanceof IdempotencyLeaseLostException
                || failure instanceof IdempotencyStoreException;
    }

    private void nothingHappened(Call call) {
        for (Body body : call.bodies()) {
            check(
                    !effects.containsKey(body.number()),
                    call + " is told that nothing happened (" + call.failure() + "), but there is the effect of "
                            + body);
        }
    }

    private String described(String key, List<Long> bodies) {
        return bodies.stream()
                        .map(number -> String.valueOf(history.body("order " + number)))
                        .collect(Collectors.joining(", "))
                + "; "
                + history.calls().stream()
                        .filter(call -> call.key().equals(key))
                        .map(call -> call + (call.value() != null ? " got " + call.value() : " got " + call.failure()))
                        .collect(Collectors.joining("; "));
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            add(otherwise);
        }
    }

    private void add(String contradiction) {
        contradictions.add(contradiction);
    }
}
