package dev.resilience.simulation;

import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** Calls at random moments through a bulkhead to a callee of limited capacity, phase after phase. */
final class LimitSimulation {

    private final ManualTimeSource time = new ManualTimeSource();
    private final SplittableRandom arrivals;
    private final LimitedCallee callee;
    private final LimitRule.Gate gate;
    private final Pipeline pipeline;
    private List<Long> nanos = new ArrayList<>();
    private long refused;
    private double callsPerSecond;

    private LimitSimulation(LimitRule rule, LimitScenario scenario, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        this.arrivals = random.split();
        SplittableRandom services = random.split();
        this.callee = new LimitedCallee(
                time, () -> scenario.meanSeconds() * scenario.service().of(services), scenario.timeout());
        this.gate = rule.gate(time, scenario.maxQueue());
        this.pipeline = Pipeline.of(gate.bulkhead);
    }

    static List<LimitResult> run(LimitRule rule, LimitScenario scenario, long seed) {
        return SilencedLogs.run(() -> new LimitSimulation(rule, scenario, seed).run(scenario.phases()));
    }

    private List<LimitResult> run(List<LimitPhase> phases) {
        List<LimitResult> results = new ArrayList<>();
        for (LimitPhase phase : phases) {
            callee.enter(phase);
            nanos = new ArrayList<>();
            refused = 0;
            boolean isFirst = callsPerSecond == 0;
            callsPerSecond = phase.callsPerSecond();
            if (isFirst) {
                arriveLater();
            }
            int[] limits = new int[phase.seconds()];
            for (int second = 0; second < limits.length; second++) {
                time.advance(Duration.ofSeconds(1));
                limits[second] = gate.bulkhead.limit();
            }
            results.add(LimitResult.of(phase, nanos, refused, limits));
        }
        return results;
    }

    private void arriveLater() {
        double seconds = -StrictMath.log(1 - arrivals.nextDouble()) / callsPerSecond;
        time.schedule(Duration.ofNanos(1 + (long) (seconds * 1e9)), this::arrive);
    }

    private void arrive() {
        arriveLater();
        CompletableFuture<Object> answer = pipeline.callAsync(this::callee);
        answer.whenComplete((result, failure) -> {
            if (failure instanceof BulkheadFullException) {
                refused++;
            }
        });
    }

    private CompletableFuture<Object> callee() {
        long begin = time.nanoTime();
        CompletableFuture<Object> answer = callee.call();
        answer.whenComplete((result, failure) -> {
            long end = time.nanoTime();
            if (failure == null) {
                nanos.add(end - begin);
            }
            gate.ended(begin, end, failure == null);
        });
        return answer;
    }
}
