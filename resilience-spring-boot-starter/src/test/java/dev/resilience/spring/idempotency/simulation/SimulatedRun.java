package dev.resilience.spring.idempotency.simulation;

import static dev.resilience.spring.idempotency.simulation.ScenarioFeature.CLOCK_JUMPS;
import static dev.resilience.spring.idempotency.simulation.ScenarioFeature.MACHINE_FAULTS;
import static dev.resilience.spring.idempotency.simulation.ScenarioFeature.PLAIN_METHODS;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One run. In each of some rounds of virtual time callers on two or three machines call a method with one or two keys
 * between them, while machines, clocks and the ways to the database fail. Then all is well again, and each key is called
 * once more from a machine that is sound: it must have an answer within lease + max-lease + wait-timeout, and nothing may
 * stay behind.
 */
final class SimulatedRun {

    private static final Duration ROUND = Duration.ofSeconds(9);

    /** How much later than it could a caller may see that a key has ended. */
    private static final Duration POLLING = Duration.ofSeconds(1);

    private final long seed;
    private final Baton baton;
    private final World world;
    private final Set<String> keys = new LinkedHashSet<>();
    private final Duration trouble;
    private List<String> violations = List.of();

    SimulatedRun(long seed, Set<ScenarioFeature> features, PlantedDefect defect) {
        this.seed = seed;
        this.baton = new Baton(seed);
        this.world = new World(baton, some(features), defect);
        this.trouble = ROUND.multipliedBy(2 + baton.choose(3));
    }

    /** A run without some of what may happen is shorter to read, and finds what the rest would hide. */
    private Set<ScenarioFeature> some(Set<ScenarioFeature> features) {
        Set<ScenarioFeature> chosen = EnumSet.noneOf(ScenarioFeature.class);
        int perMille = baton.chooseFrom(300, 600, 900);
        Set<ScenarioFeature> away =
                baton.chooseFrom(ScenarioFeature.NO_TROUBLE, ScenarioFeature.FAULTS, Set.of(), Set.of());
        features.stream()
                .sorted()
                .filter(feature -> !away.contains(feature))
                .filter(feature -> baton.chance(perMille))
                .forEach(chosen::add);
        return chosen;
    }

    Trace trace() {
        return baton.trace();
    }

    int steps() {
        return baton.steps();
    }

    Set<ScenarioFeature> features() {
        return world.features();
    }

    /** Returns what was wrong: nothing, as a rule. */
    List<String> run() {
        int nodes = 2 + baton.choose(2);
        for (int i = 0; i < nodes; i++) {
            world.addNode();
        }
        for (Duration start = Duration.ZERO; start.compareTo(trouble) < 0; start = start.plus(ROUND)) {
            startRound(start);
        }
        scheduleTrouble();
        baton.after(trouble, this::heal);
        baton.endsAfter(Duration.ofMinutes(5));
        baton.atEnd(() -> violations = new Checker(world).check(keys));
        try {
            baton.run();
        } catch (AssertionError failure) {
            violations = new ArrayList<>(violations);
            violations.add(String.valueOf(failure.getMessage()));
        }
        return violations;
    }

    private void startRound(Duration start) {
        List<String> contended = new ArrayList<>();
        long number = 1 + start.dividedBy(ROUND);
        contended.add((world.has(PLAIN_METHODS) && baton.chance(250) ? "plain-" : "tx-") + number);
        if (baton.chance(250)) {
            contended.add("tx-" + number + "b");
        }
        for (SimulatedNode node : world.nodes()) {
            int callers = 1 + baton.choose(3);
            for (int i = 0; i < callers; i++) {
                startCaller(node, baton.chooseFrom(contended.toArray(String[]::new)), start);
            }
        }
        keys.addAll(contended);
    }

    private void startCaller(SimulatedNode node, String key, Duration start) {
        CallPlan plan = CallPlan.chosen(baton, world.features(), key);
        if (plan.mayOutlive(world.policy().maxLease(), world.betweenAttempts())) {
            world.weather().disturb();
        }
        SimulatedCaller caller = new SimulatedCaller(world, node, plan);
        Duration wait = start.plus(baton.chooseUpTo(Duration.ofSeconds(baton.chooseFrom(0, 1, 5))));
        baton.startAfter(wait, "caller-" + baton.nextNumber(), node.machine(), caller::callSometimes);
    }

    private void scheduleTrouble() {
        for (SimulatedNode node : world.nodes()) {
            if (world.has(MACHINE_FAULTS) && baton.chance(300)) {
                sometime(() -> crash(node));
            }
            if (world.has(MACHINE_FAULTS) && baton.chance(400)) {
                sometime(() -> standStill(node));
            }
            if (world.has(CLOCK_JUMPS) && baton.chance(500)) {
                Duration by = baton.chooseUpTo(Duration.ofHours(2)).minus(Duration.ofHours(1));
                sometime(() -> node.machine().jumpWallClock(by));
            }
        }
        if (world.has(CLOCK_JUMPS) && baton.chance(500)) {
            Duration by = baton.chooseUpTo(World.LEASE.multipliedBy(2));
            sometime(() -> jumpClockOfDatabase(by));
        }
    }

    private void sometime(Runnable what) {
        baton.after(baton.chooseUpTo(trouble.minusSeconds(1)), what);
    }

    private void crash(SimulatedNode node) {
        baton.trace().add(node.machine().name(), "crashes");
        world.weather().disturb();
        node.crash();
    }

    private void standStill(SimulatedNode node) {
        Duration pause = baton.chooseUpTo(World.LEASE.multipliedBy(3));
        baton.trace().add(node.machine().name(), "stands still for " + pause.toMillis() + " ms");
        world.weather().disturb();
        node.machine().standStill(pause, baton.chance(300));
    }

    private void jumpClockOfDatabase(Duration by) {
        baton.trace().add("database", "its clock jumps by " + by.toMillis() + " ms");
        world.weather().disturb();
        world.database().jumpClock(by);
    }

    private void heal() {
        world.heal();
        SimulatedNode sound = world.addNode();
        long deadline = baton.now() + world.bound().plus(POLLING).toNanos();
        for (String key : keys) {
            SimulatedCaller caller = new SimulatedCaller(world, sound, CallPlan.immediate(key));
            baton.start("last " + key, sound.machine(), () -> caller.callUntilAnswered(deadline));
        }
    }

    /** What a failure prints: how to repeat the run, what was wrong, and all that happened. */
    String report() {
        return "Seed " + seed + " with " + world.features() + ":\n  " + String.join("\n  ", violations) + "\n"
                + trace();
    }
}
