package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.IdempotencyPolicy.OnAbandoned;
import dev.resilience.idempotency.store.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What must hold when a run has ended. The effects are rows of the database, the answers were
 * written down outside it, and here both are held against each other.
 */
final class Checker {

    private final World world;
    private final List<String> violations = new ArrayList<>();

    Checker(World world) {
        this.world = world;
    }

    List<String> check(Set<String> keys) {
        violations.addAll(world.watch().violations());
        violations.addAll(world.history().violations());
        for (String key : keys) {
            if (world.has(ScenarioFeature.UNHEARD_TRANSACTIONS)) {
                storedIfThereIsAnEffect(key);
            } else if (CallPlan.isTransactional(key)) {
                exactlyOnce(key);
            } else {
                onceUnlessDisturbed(key);
            }
            replaysAreTheFirstAnswer(key);
            recordHasEnded(key);
        }
        nothingIsLeftBehind();
        return violations;
    }

    private void exactlyOnce(String key) {
        List<SimulatedBody> effects = effects(key);
        List<SimulatedBody> lasting =
                effects.stream().filter(this::mustBeStored).toList();
        check(lasting.size() <= 1, "more than one effect of " + key + ": " + lasting);
        for (History.Told told : world.history().told(key)) {
            SimulatedBody body = world.history().body(told.value());
            check(
                    (!body.wantsEffect() && !told.replay()) || effects.contains(body),
                    "a caller is told " + body + ", of which there is no effect");
        }
        StoredRecord record = record(key);
        if (record != null && record.result() != null) {
            SimulatedBody body = world.history().body(value(record));
            check(effects.contains(body), "a result is stored without its effect: " + body);
        }
        for (SimulatedBody body : lasting) {
            check(
                    record != null && record.result() != null && value(record).equals(body.value()),
                    "an effect has no stored result: " + body);
        }
    }

    /** Where result and effect are written one after the other. */
    private void storedIfThereIsAnEffect(String key) {
        StoredRecord record = record(key);
        String stored = record == null || record.result() == null ? null : value(record);
        if (stored != null && CallPlan.isTransactional(key)) {
            SimulatedBody body = world.history().body(stored);
            check(effects(key).contains(body), "a result is stored without its effect: " + body);
        }
        if (world.mayLoseKeys()) {
            return;
        }
        for (History.Told told : world.history().told(key)) {
            SimulatedBody body = world.history().body(told.value());
            boolean isKept = !effects(key).contains(body) || told.value().equals(stored);
            check(isKept, "the key of an effect is free: " + body);
        }
    }

    /**
     * Those that were meant to be: what a body leaves that has failed is the application's wish, and so is what one leaves whose
     * result asks for another attempt, unless it was the last one.
     */
    private List<SimulatedBody> effects(String key) {
        Set<String> told =
                world.history().told(key).stream().map(History.Told::value).collect(Collectors.toSet());
        return world.database().effects().stream()
                .filter(body -> body.key().equals(key))
                .filter(body -> body.answered() || (body.unfinished() && told.contains(body.value())))
                .toList();
    }

    /** Which result is the last one the engine finds out when the method's own transaction is committed, which may be late. */
    private boolean mustBeStored(SimulatedBody body) {
        return !body.unfinished() || body.isDecidedByCaller() || !world.mayLoseKeys();
    }

    private void onceUnlessDisturbed(String key) {
        List<SimulatedBody> answered = world.history().bodies(key).stream()
                .filter(SimulatedBody::answered)
                .toList();
        check(
                world.weather().wasDisturbed() || answered.size() <= 1,
                "runs more than once though nothing went wrong: " + answered);
    }

    private void replaysAreTheFirstAnswer(String key) {
        Set<String> replayed = world.history().told(key).stream()
                .filter(History.Told::replay)
                .map(History.Told::value)
                .collect(Collectors.toSet());
        StoredRecord record = record(key);
        if (record != null && record.result() != null) {
            replayed.add(value(record));
        }
        check(replayed.size() <= 1, "different answers of " + key + ": " + replayed);
    }

    private void recordHasEnded(String key) {
        StoredRecord record = record(key);
        if (record != null && record.isRunning()) {
            boolean waitsForOperator =
                    world.policy().onAbandoned() == OnAbandoned.REJECT && !world.isClaimOfNothing(record.owner());
            check(waitsForOperator, "a record in progress is left of " + key);
        }
    }

    private void nothingIsLeftBehind() {
        check(world.database().sessions().isEmpty(), "sessions are left");
        world.database().rows().forEach((key, row) -> check(row.lock() == null, "a lock is left"));
        for (SimulatedNode node : world.nodes()) {
            if (!node.machine().hasCrashed()) {
                check(node.pool().taken() == 0, node.machine().name() + " has not given its connections back");
                everyCallIsCounted(node);
            }
        }
    }

    private void everyCallIsCounted(SimulatedNode node) {
        boolean mayMiss = world.doBodiesOverlap() && !world.has(ScenarioFeature.COUNTED_LATE_ATTEMPTS);
        long counted = node.idempotency().calls().total();
        check(
                counted == node.calls() || (mayMiss && counted < node.calls()),
                node.machine().name() + " has counted " + counted + " of " + node.calls() + " calls");
    }

    private StoredRecord record(String key) {
        return world.database().latest(RecordKey.of("Service.call(String)", "", key));
    }

    private static String value(StoredRecord record) {
        String text =
                SimulatedOperation.text(Objects.requireNonNull(record.result()).content());
        return SimulatedBody.valueOf(text.substring(text.indexOf('\n') + 1));
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            violations.add(otherwise);
        }
    }
}
