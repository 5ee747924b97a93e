package dev.resilience.simulation;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Fifty nodes call one callee, twenty times a second each, and each has a breaker of its own. The callee is down for a
 * minute and cold when it comes back: it has room for 200 calls in a second at first, for one more for each four that it has
 * served since, and for 1,500 when it is warm. What it has no room for it refuses at once.
 */
final class Fleet {

    static final int SECONDS_BEFORE = 10;
    static final int SECONDS = 300;
    private static final int NODES = 50;
    private static final double CALLS_PER_SECOND = 1_000;
    private static final int OUTAGE_SECONDS = 60;
    private static final int COLD = 200;
    private static final int WARM = 1_500;
    private static final Map<Duration, Fleet> DONE = new ConcurrentHashMap<>();

    private final IllegalStateException refusal = new IllegalStateException("too much");
    private final ManualTimeSource time = new ManualTimeSource();
    private final long start = time.nanoTime();
    private final SplittableRandom random = new SplittableRandom(20_260_101);
    private final List<Pipeline> nodes = new ArrayList<>();
    private final int[] made = new int[SECONDS_BEFORE + SECONDS];
    private final int[] reached = new int[SECONDS_BEFORE + SECONDS];
    private final int[] served = new int[SECONDS_BEFORE + SECONDS];
    private int lastSecond = -1;
    private int inSecond;
    private int servedSinceOutage;

    private Fleet(Duration ramp) {
        CircuitBreakerPolicy policy = CircuitBreakerPolicy.builder().ramp(ramp).build();
        for (int node = 0; node < NODES; node++) {
            nodes.add(Pipeline.of(new CircuitBreaker("callee", policy, Environment.of(time))));
        }
    }

    /** Simulated once for each ramp. */
    static Fleet with(Duration ramp) {
        return DONE.computeIfAbsent(ramp, wanted -> SilencedLogs.run(() -> new Fleet(wanted).run()));
    }

    private Fleet run() {
        int second = 0;
        while (second < made.length) {
            made[second]++;
            call(nodes.get(random.nextInt(NODES)), second);
            double gap = -StrictMath.log(1 - random.nextDouble()) / CALLS_PER_SECOND;
            time.advance(Duration.ofNanos(1 + (long) (gap * 1e9)));
            second = (int) ((time.nanoTime() - start) / 1_000_000_000);
        }
        return this;
    }

    private void call(Pipeline node, int second) {
        try {
            node.call(() -> {
                reached[second]++;
                if (!serves(second)) {
                    throw refusal;
                }
                return null;
            });
            served[second]++;
        } catch (CircuitOpenException refused) {
            // counted as made, and not as served
        } catch (Exception failure) {
            // as well
        }
    }

    private boolean serves(int second) {
        boolean isAfter = second >= SECONDS_BEFORE + OUTAGE_SECONDS;
        if (second >= SECONDS_BEFORE && !isAfter) {
            return false;
        }
        inSecond = second == lastSecond ? inSecond + 1 : 1;
        lastSecond = second;
        int room = isAfter ? Math.min(WARM, COLD + servedSinceOutage / 4) : WARM;
        boolean serves = inSecond <= room;
        servedSinceOutage += serves && isAfter ? 1 : 0;
        return serves;
    }

    /** The share of calls that succeed in a second, counted from the outage's start. */
    double served(int second) {
        return (double) served[SECONDS_BEFORE + second] / made[SECONDS_BEFORE + second];
    }

    /** The most calls that reached the callee in one of the ten seconds after the first was served again. */
    int peakWhenItCameBack() {
        int first = firstServed();
        int peak = 0;
        for (int second = first; second < first + 10; second++) {
            peak = Math.max(peak, reached[SECONDS_BEFORE + second]);
        }
        return peak;
    }

    /** Seconds from the outage's end until every later second serves 95% of the calls; the whole time if none does. */
    int secondsToRecover() {
        int second = SECONDS - 1;
        while (second >= OUTAGE_SECONDS && served(second) >= 0.95) {
            second--;
        }
        return second + 1 - OUTAGE_SECONDS;
    }

    /** Calls that failed at the callee or were refused after the outage. */
    int lostAfterOutage() {
        int lost = 0;
        for (int second = SECONDS_BEFORE + OUTAGE_SECONDS; second < made.length; second++) {
            lost += made[second] - served[second];
        }
        return lost;
    }

    private int firstServed() {
        int second = OUTAGE_SECONDS;
        while (second < SECONDS - 10 && served[SECONDS_BEFORE + second] == 0) {
            second++;
        }
        return second;
    }
}
