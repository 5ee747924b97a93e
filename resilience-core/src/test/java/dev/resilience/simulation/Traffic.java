package dev.resilience.simulation;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * Calls at random moments through one breaker to a callee that answers at once and of whose answers a share are failures,
 * each by its own throw of the dice. Refusals between two probes are counted, not made.
 */
final class Traffic {

    private static final int MOST_CALLS = 100_000;
    private static final Duration LONGEST = Duration.ofHours(24);
    private static final Duration HEALTHY = Duration.ofSeconds(3);
    private static final int RUNS = 20;

    private final IllegalStateException failure = new IllegalStateException("limping");
    private final ManualTimeSource time = new ManualTimeSource();
    private final SplittableRandom random;
    private final double callsPerSecond;
    private final CircuitBreaker breaker;
    private final Pipeline pipeline;
    private double failing;
    private long succeeded;

    private Traffic(CircuitBreakerPolicy policy, double callsPerSecond, long seed) {
        this.random = new SplittableRandom(seed);
        this.callsPerSecond = callsPerSecond;
        this.breaker = new CircuitBreaker("callee", policy, Environment.of(time));
        this.pipeline = Pipeline.of(breaker);
    }

    /** The share of calls that succeed, over a day or 100,000 calls that were let in. */
    static double shareServed(CircuitBreakerPolicy policy, double callsPerSecond, double failing) {
        return SilencedLogs.run(() -> {
            Traffic traffic = new Traffic(policy, callsPerSecond, 1);
            traffic.failing = failing;
            long end = traffic.time.nanoTime() + LONGEST.toNanos();
            double offered = 0;
            for (int made = 0; made < MOST_CALLS && traffic.time.nanoTime() < end; ) {
                Duration refusedFor = traffic.call();
                if (refusedFor.isZero()) {
                    made++;
                    offered++;
                } else {
                    offered += 1 + refusedFor.toNanos() / 1e9 * callsPerSecond;
                    traffic.time.advance(refusedFor);
                }
                traffic.time.advance(traffic.gap());
            }
            return traffic.succeeded / offered;
        });
    }

    /** The mean time in seconds from when a healthy callee begins to fail until the breaker opens; an hour at the most. */
    static double secondsToOpen(CircuitBreakerPolicy policy, double callsPerSecond, double failing) {
        return SilencedLogs.run(() -> {
            double sum = 0;
            for (int run = 0; run < RUNS; run++) {
                sum += new Traffic(policy, callsPerSecond, run).secondsToOpen(failing);
            }
            return sum / RUNS;
        });
    }

    private double secondsToOpen(double share) {
        long died = time.nanoTime() + HEALTHY.toNanos();
        while (time.nanoTime() < died) {
            call();
            time.advance(gap());
        }
        failing = share;
        long end = died + Duration.ofHours(1).toNanos();
        while (breaker.currentState() == CircuitState.CLOSED && time.nanoTime() < end) {
            call();
            time.advance(gap());
        }
        return (time.nanoTime() - died) / 1e9;
    }

    /** How long further calls are refused; zero if this one was made. */
    private Duration call() {
        boolean fails = random.nextDouble() < failing;
        try {
            pipeline.call(() -> {
                if (fails) {
                    throw failure;
                }
                return null;
            });
            succeeded++;
        } catch (CircuitOpenException refused) {
            return refused.retryAfter();
        } catch (Exception failure) {
            return Duration.ZERO;
        }
        return Duration.ZERO;
    }

    /** Exponentially distributed; by {@link StrictMath}, so that every JDK computes the same. */
    private Duration gap() {
        double seconds = -StrictMath.log(1 - random.nextDouble()) / callsPerSecond;
        return Duration.ofNanos(1 + (long) (seconds * 1e9));
    }
}
