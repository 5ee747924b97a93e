package dev.resilience.simulation;

import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotencyPolicy.OnAbandoned;
import dev.resilience.idempotency.IdempotencyPolicy.OnInProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What a run consists of: a database, the machines of an application, the weather between them, and what is known of it. */
final class World {

    static final Duration LEASE = Duration.ofSeconds(3);

    /** Three attempts of eight seconds, and one last thought. */
    private static final Duration LONGEST_TRANSACTIONS = Duration.ofSeconds(30);

    private final Baton baton;
    private final Set<ScenarioFeature> features;
    private final PlantedDefect defect;
    private final Weather weather;
    private final RecordWatch watch = new RecordWatch();
    private final History history = new History();
    private final SimulatedDatabase database;
    private final IdempotencyPolicy policy;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private boolean healed;
    private boolean bodiesOverlap;

    World(Baton baton, Set<ScenarioFeature> features, PlantedDefect defect) {
        this.baton = baton;
        this.features = features;
        this.defect = defect;
        this.weather = new Weather(baton, LEASE.multipliedBy(3));
        if (!features.contains(ScenarioFeature.STORE_FAULTS)) {
            weather.clears();
        }
        this.database = new SimulatedDatabase(baton, watch);
        this.policy = IdempotencyPolicy.builder()
                .lease(LEASE)
                .maxLease(baton.chooseFrom(LEASE, LEASE.multipliedBy(3)))
                .ttl(Duration.ofHours(1))
                .waitTimeout(Duration.ofSeconds(2))
                .onInProgress(baton.chooseFrom(OnInProgress.values()))
                .onAbandoned(baton.chooseFrom(
                        OnAbandoned.TAKE_OVER, OnAbandoned.TAKE_OVER, OnAbandoned.TAKE_OVER, OnAbandoned.REJECT))
                .replayExceptions(List.of(Failures.Declined.class))
                .build();
    }

    SimulatedNode addNode() {
        SimulatedTransactions.Kind kind = baton.chooseFrom(SimulatedTransactions.Kind.values());
        SimulatedNode node = new SimulatedNode("node-" + (nodes.size() + 1), database, weather, policy, kind, defect);
        nodes.add(node);
        return node;
    }

    Baton baton() {
        return baton;
    }

    boolean has(ScenarioFeature feature) {
        return features.contains(feature);
    }

    Set<ScenarioFeature> features() {
        return features;
    }

    Weather weather() {
        return weather;
    }

    RecordWatch watch() {
        return watch;
    }

    History history() {
        return history;
    }

    SimulatedDatabase database() {
        return database;
    }

    IdempotencyPolicy policy() {
        return policy;
    }

    List<SimulatedNode> nodes() {
        return nodes;
    }

    boolean isHealed() {
        return healed;
    }

    /** From now on nothing goes wrong any more; what has crashed stays so. */
    void heal() {
        baton.trace().add("world", "is well again");
        healed = true;
        weather.clears();
        nodes.forEach(node -> node.machine().wakeUp());
        database.reapOrphans();
    }

    /** A call has ended before its body: what the contract promises of the order of bodies does not hold any more. */
    void bodiesOverlap() {
        bodiesOverlap = true;
    }

    boolean doBodiesOverlap() {
        return bodiesOverlap;
    }

    /**
     * How long after all is well again a key may take to end. What a transaction has locked is its own until it ends, and how
     * long it takes is its application's business: that comes on top where there may be such transactions.
     */
    Duration bound() {
        boolean locks = has(ScenarioFeature.SNAPSHOTS)
                || has(ScenarioFeature.CALLERS_TRANSACTIONS)
                || has(ScenarioFeature.STORE_FAULTS);
        return policy.lease()
                .plus(policy.maxLease())
                .plus(policy.waitTimeout())
                .plus(locks ? LONGEST_TRANSACTIONS : Duration.ZERO);
    }

    /** At most once means: none begins unless all before it have failed. */
    void lookAtBodies(SimulatedBody begins) {
        boolean atMostOnce = policy.onAbandoned() == OnAbandoned.REJECT && !bodiesOverlap;
        if (!atMostOnce || CallPlan.isTransactional(begins.key())) {
            return;
        }
        history.bodies(begins.key()).stream()
                .filter(other -> other != begins && !other.threw())
                .forEach(other -> history.violation("runs twice under 'reject': " + begins + " after " + other));
    }
}
