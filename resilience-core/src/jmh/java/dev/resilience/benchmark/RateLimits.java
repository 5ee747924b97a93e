package dev.resilience.benchmark;

import dev.resilience.Resilience;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.ratelimit.RateLimitPolicy;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A call that gets its permit at once: this library's rate limit, Resilience4j's and Bucket4j's. With {@code -t 2} contended. */
@State(Scope.Benchmark)
public class RateLimits extends Settings {

    private static final int PERMITS = 100_000_000;
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final Pipeline ours = Pipeline.of(Resilience.create()
            .rateLimit(
                    "ours",
                    RateLimitPolicy.builder().permits(PERMITS).period(PERIOD).build()));
    private final Invocation body = this::work;

    private final Supplier<Object> resilience4j = RateLimiter.decorateSupplier(
            RateLimiter.of(
                    "resilience4j",
                    RateLimiterConfig.custom()
                            .limitForPeriod(PERMITS)
                            .limitRefreshPeriod(PERIOD)
                            .timeoutDuration(Duration.ZERO)
                            .build()),
            this::work);

    private final Bucket bucket4j = Bucket.builder()
            .addLimit(limit -> limit.capacity(PERMITS).refillGreedy(PERMITS, PERIOD))
            .build();

    @Benchmark
    public Object ours() throws Throwable {
        return ours.invoke(body);
    }

    @Benchmark
    public Object resilience4j() {
        return resilience4j.get();
    }

    @Benchmark
    public Object bucket4j() {
        if (!bucket4j.tryConsume(1)) {
            throw new IllegalStateException();
        }
        return work();
    }

    /** What the clock costs that each of them reads. */
    @Benchmark
    public long clock() {
        return System.nanoTime();
    }
}
