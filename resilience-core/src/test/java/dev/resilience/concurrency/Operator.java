package dev.resilience.concurrency;

import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.timelimit.TimeLimitPolicy;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.Random;

/** Changes policies and states at random; not safe for use by many threads. */
final class Operator {

    private static final boolean VIRTUAL_THREADS = Runtime.version().feature() >= 21;

    private final Shop shop;
    private final Random random;

    Operator(Shop shop, Random random) {
        this.shop = shop;
        this.random = random;
    }

    void act() {
        switch (random.nextInt(40)) {
            case 0, 1 -> shop.bulkhead.reconfigure(bulkhead());
            case 2, 3 -> shop.breaker.reconfigure(breaker());
            case 4, 5 -> shop.timeLimit.reconfigure(timeLimit());
            case 6 -> shop.breaker.forceOpen();
            case 7 -> shop.breaker.reset();
            case 16 -> shop.breaker.metricsOnly();
            case 17, 18, 19 -> shop.breaker.open();
            case 8, 9, 10, 11, 12, 13, 14, 15 -> shop.breaker.close(); // not disabled: nothing would be counted
            default -> {}
        }
    }

    private BulkheadPolicy bulkhead() {
        boolean pool = random.nextBoolean();
        return BulkheadPolicy.builder()
                .type(pool ? BulkheadPolicy.Type.THREAD_POOL : BulkheadPolicy.Type.SEMAPHORE)
                .virtualThreads(pool && VIRTUAL_THREADS && random.nextBoolean())
                .maxConcurrent(1 + random.nextInt(40))
                .maxQueue(random.nextInt(40))
                .queueTimeout(micros(100, 5_000))
                .enforce(share())
                .build();
    }

    private CircuitBreakerPolicy breaker() {
        return CircuitBreakerPolicy.builder()
                .failureThreshold(random.nextInt(10))
                .failureRateThreshold(random.nextInt(11) / 10.0)
                .minimumCalls(1 + random.nextInt(20))
                .window(
                        random.nextBoolean()
                                ? new Window(Window.Type.COUNT, Duration.ofSeconds(1), 20 + random.nextInt(20))
                                : new Window(Window.Type.TIME, Duration.ofMillis(50), 20))
                .slowCallDuration(micros(500, 2_000))
                .openDuration(micros(500, 5_000))
                .openDurationMultiplier(1 + random.nextInt(2))
                .maxOpenDuration(Duration.ofMillis(10))
                .halfOpen(new HalfOpen(1 + random.nextInt(3), 1 + random.nextInt(4), micros(200, 5_000)))
                .enforce(share())
                .build();
    }

    private TimeLimitPolicy timeLimit() {
        return TimeLimitPolicy.builder()
                .timeout(micros(200, 4_000))
                .thread(random.nextBoolean() ? RunsOn.CALLER : RunsOn.WORKER)
                .enforce(share())
                .build();
    }

    private double share() {
        return random.nextInt(3) / 2.0;
    }

    private Duration micros(int from, int to) {
        return Duration.ofNanos(1_000L * (from + random.nextInt(to - from)));
    }
}
