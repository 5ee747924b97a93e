package dev.resilience.spring.idempotency.simulation;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotencyPolicy.OnAbandoned;
import dev.resilience.idempotency.IdempotencyPolicy.OnInProgress;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What a run consists of: a database, the machines of an application, the weather between them, and what is known of it. */
final class World {

    static final Duration LEASE = Duration.ofSeconds(3);

    private static final Duration SHORT_BACKOFF = Duration.ofMillis(100);

    /** Three attempts of eight seconds, and one last thought. */
    private static final Duration LONGEST_TRANSACTIONS = Duration.ofSeconds(30);

    /** More than is stored of a result. */
    static final String TOO_MUCH = "x".repeat(100);

    private static final int MAX_RESULT_SIZE = 100;

    private final Baton baton;
    private final Set<ScenarioFeature> features;
    private final PlantedDefect defect;
    private final Weather weather;
    private final RecordWatch watch = new RecordWatch();
    private final History history = new History();
    private final SimulatedDatabase database;
    private final IdempotencyPolicy policy;
    private final Duration betweenAttempts;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private boolean healed;
    private boolean bodiesOverlap;

    World(Baton baton, Set<ScenarioFeature> features, PlantedDefect defect) {
        this.baton = baton;
        this.features = features.isEmpty() ? EnumSet.noneOf(ScenarioFeature.class) : EnumSet.copyOf(features);
        if (has(ScenarioFeature.UNHEARD_TRANSACTIONS) && !baton.chance(300)) {
            this.features.remove(ScenarioFeature.UNHEARD_TRANSACTIONS);
        }
        if (has(ScenarioFeature.UNHEARD_TRANSACTIONS)) {
            this.features.remove(ScenarioFeature.CALLERS_TRANSACTIONS);
        }
        this.betweenAttempts = has(ScenarioFeature.LONG_BACKOFF)
                ? baton.chooseFrom(SHORT_BACKOFF, SHORT_BACKOFF, LEASE.plusSeconds(1))
                : SHORT_BACKOFF;
        this.defect = defect;
        this.weather = new Weather(baton, LEASE.multipliedBy(3));
        if (!features.contains(ScenarioFeature.STORE_FAULTS)) {
            weather.clears();
        }
        this.database = new SimulatedDatabase(baton, watch);
        this.policy = IdempotencyPolicy.builder()
                .lease(LEASE)
                .maxLease(
                        betweenAttempts.compareTo(LEASE) > 0
                                ? LEASE.multipliedBy(15)
                                : baton.chooseFrom(LEASE, LEASE.multipliedBy(3)))
                .ttl(Duration.ofHours(1))
                .transactional(has(ScenarioFeature.UNHEARD_TRANSACTIONS) ? Transactional.NEVER : Transactional.AUTO)
                .maxResultSize(MAX_RESULT_SIZE)
                .waitTimeout(Duration.ofSeconds(2))
                .onInProgress(baton.chooseFrom(OnInProgress.values()))
                .onAbandoned(baton.chooseFrom(
                        OnAbandoned.TAKE_OVER, OnAbandoned.TAKE_OVER, OnAbandoned.TAKE_OVER, OnAbandoned.REJECT))
                .replayExceptions(List.of(Failures.Declined.class))
                .build();
    }

    SimulatedNode addNode() {
        SimulatedTransactions.Kind kind = baton.chooseFrom(SimulatedTransactions.Kind.values());
        SimulatedNode node = new SimulatedNode(this, "node-" + (nodes.size() + 1), kind, defect);
        nodes.add(node);
        return node;
    }

    /** Between two attempts of a call. */
    Duration betweenAttempts() {
        return betweenAttempts;
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
        boolean locks = has(ScenarioFeature.SNAPSHOTS) || has(ScenarioFeature.CALLERS_TRANSACTIONS);
        return policy.lease()
                .plus(policy.maxLease())
                .plus(policy.waitTimeout())
                .plus(locks ? LONGEST_TRANSACTIONS : Duration.ZERO)
                .plus(betweenAttempts.multipliedBy(2));
    }

    /**
     * A call is told that another one has its key.
     *
     * @param claims how often the key was claimed since the call began: by itself, and by another one
     */
    void lostKey(CallPlan plan, int claims) {
        if (claims < 2) {
            history.violation("a key is lost to no other call: " + plan.key());
        }
        boolean isOldSnapshot = plan.looksFirst() && plan.isolation().isSnapshot(); // too old to see its record
        boolean mayLose = weather.wasDisturbed() || plan.isLongSnapshot(LEASE) || isOldSnapshot;
        if (!mayLose) {
            history.violation("a key is lost though nothing went wrong: " + plan.key());
        }
    }

    /** Whether owners may be replaced, or the store may have missed how a call ended. */
    boolean mayLoseKeys() {
        return has(ScenarioFeature.STORE_FAULTS)
                || has(ScenarioFeature.MACHINE_FAULTS)
                || has(ScenarioFeature.CLOCK_JUMPS)
                || nodes.stream()
                        .anyMatch(node -> node.idempotency().calls().get(IdempotencyOutcome.LEASE_LOST)
                                        + node.idempotency().calls().get(IdempotencyOutcome.STORE_FAILURE)
                                > 0);
    }

    /** Whether a record is left by a claim without an answer, on a machine that could have freed it, so that nothing ran. */
    boolean isClaimOfNothing(String owner) {
        if (!weather.wasDisturbed()) {
            return true;
        }
        return nodes.stream()
                .anyMatch(node -> !node.machine().hasCrashed() && node.store().hasLostClaimOf(owner));
    }

    /** At most once means: none begins unless all before it have failed. */
    void lookAtBodies(SimulatedBody begins) {
        boolean atMostOnce = policy.onAbandoned() == OnAbandoned.REJECT && !bodiesOverlap;
        if (!atMostOnce || CallPlan.isTransactional(begins.key())) {
            return;
        }
        history.bodies(begins.key()).stream()
                .filter(other -> other != begins && !other.threw() && !other.unfinished())
                .forEach(other -> history.violation("runs twice under 'reject': " + begins + " after " + other));
    }
}
