package dev.resilience;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.hedge.Hedge;
import dev.resilience.hedge.HedgePolicy;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.ratelimit.RateLimit;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Composes a pipeline in the library's order, in whatever order its methods are called. Outermost first:
 *
 * <pre>
 * fallback &gt; idempotent &gt; rate limit &gt; bulkhead &gt; circuit breaker &gt; retry or hedge &gt; time limit &gt; the call itself
 * </pre>
 *
 * <p>So a retried call holds one permit of the bulkhead and counts once for the circuit breaker, however many attempts it
 * makes, and the time limit is for each attempt. For another order see {@link Resilience#outermostFirst}.
 *
 * <p>Each layer can be given once; a second one is an {@link IllegalStateException}. A layer that is given as a policy gets
 * the pipeline's name. Not safe for use by many threads; the pipeline is.
 */
public final class PipelineBuilder {

    private final String name;
    private final Resilience resilience;
    private final Map<Position, Layer> layers = new EnumMap<>(Position.class);

    PipelineBuilder(String name, Resilience resilience) {
        this.name = name;
        this.resilience = resilience;
    }

    /** Answers in place of a call that failed, for whatever reason; see {@link #fallback(Class, Function)}. */
    public PipelineBuilder fallback(Function<Throwable, ? extends @Nullable Object> answer) {
        return fallback(Throwable.class, answer);
    }

    /**
     * Answers in place of a call that failed with an exception of one type. Other failures are thrown.
     *
     * @param answer returns what {@code call} would have returned, so a pipeline with a fallback is for calls of one result
     *     type; for {@code callAsync} it may return a {@link java.util.concurrent.CompletionStage} of it as well
     */
    public <F extends Throwable> PipelineBuilder fallback(
            Class<F> failure, Function<? super F, ? extends @Nullable Object> answer) {
        return add(Position.FALLBACK, resilience.fallback(name, failure, answer));
    }

    /** Runs an operation once per key. A {@link #retry} inside may then repeat a call that failed with status 500 too. */
    public PipelineBuilder idempotent(Idempotency idempotency, IdempotentOperation operation) {
        return add(Position.IDEMPOTENT, idempotency.protecting(operation));
    }

    /** Bounds how many calls there are in a period, by the {@linkplain Resilience#rateLimit rate limit} of the pipeline's name. */
    public PipelineBuilder rateLimit(RateLimitPolicy policy) {
        return rateLimit(resilience.rateLimit(name, policy));
    }

    /** Bounds how many calls there are in a period. */
    public PipelineBuilder rateLimit(RateLimit rateLimit) {
        return add(Position.RATE_LIMIT, rateLimit);
    }

    /** Bounds how many calls run at once, by the {@linkplain Resilience#bulkhead bulkhead} of the pipeline's name. */
    public PipelineBuilder bulkhead(BulkheadPolicy policy) {
        return bulkhead(resilience.bulkhead(name, policy));
    }

    /** Bounds how many calls run at once. */
    public PipelineBuilder bulkhead(Bulkhead bulkhead) {
        return add(Position.BULKHEAD, bulkhead);
    }

    /**
     * Stops calling what is down, by the {@linkplain Resilience#circuitBreaker circuit breaker} of the pipeline's name.
     */
    public PipelineBuilder circuitBreaker(CircuitBreakerPolicy policy) {
        return circuitBreaker(resilience.circuitBreaker(name, policy));
    }

    /** Stops calling what is down. */
    public PipelineBuilder circuitBreaker(CircuitBreaker circuitBreaker) {
        return add(Position.CIRCUIT_BREAKER, circuitBreaker);
    }

    /** Repeats calls that failed, by the {@linkplain Resilience#retry retry} of the pipeline's name. */
    public PipelineBuilder retry(RetryPolicy policy) {
        return retry(resilience.retry(name, policy));
    }

    /** Repeats calls that failed. */
    public PipelineBuilder retry(Retry retry) {
        return add(Position.RETRY, retry);
    }

    /** Makes a second attempt beside a slow one, by the {@linkplain Resilience#hedge hedge} of the pipeline's name. */
    public PipelineBuilder hedge(HedgePolicy policy) {
        return hedge(resilience.hedge(name, policy));
    }

    /**
     * Makes a second attempt beside a slow one. Not together with a retry, and only behind {@link #idempotent} unless the policy
     * says that the calls are free of side effects.
     */
    public PipelineBuilder hedge(Hedge hedge) {
        return add(Position.HEDGE, hedge);
    }

    /** Ends attempts that take too long, by the {@linkplain Resilience#timeLimit time limit} of the pipeline's name. */
    public PipelineBuilder timeLimit(TimeLimitPolicy policy) {
        return timeLimit(resilience.timeLimit(name, policy));
    }

    /** Ends attempts that take too long. */
    public PipelineBuilder timeLimit(TimeLimit timeLimit) {
        return add(Position.TIME_LIMIT, timeLimit);
    }

    /**
     * The pipeline. Without a layer it calls as if it were not there.
     *
     * @throws IllegalStateException for a hedge that must not call twice
     */
    public Pipeline build() {
        boolean isIdempotent = layers.containsKey(Position.IDEMPOTENT);
        if (layers.get(Position.HEDGE) instanceof Hedge hedge
                && (layers.containsKey(Position.RETRY)
                        || !(isIdempotent || hedge.policy().sideEffectFree()))) {
            throw new IllegalStateException("The pipeline '" + name + "' cannot have the hedge '" + hedge.name()
                    + "': it needs idempotent(...), or a policy with sideEffectFree(true), and no retry(...)");
        }
        if (isIdempotent && layers.get(Position.RETRY) instanceof Retry retry) {
            layers.put(Position.RETRY, retry.insideIdempotent());
        }
        return resilience.outermostFirst(layers.values().toArray(Layer[]::new));
    }

    private PipelineBuilder add(Position position, Layer layer) {
        if (layers.putIfAbsent(position, layer) != null) {
            throw new IllegalStateException("The pipeline '" + name + "' has its layer " + position
                    + " already; an order of one's own, with a layer twice, is made by outermostFirst(...)");
        }
        return this;
    }

    /** The layers, outermost first. */
    private enum Position {
        FALLBACK,
        IDEMPOTENT,
        RATE_LIMIT,
        BULKHEAD,
        CIRCUIT_BREAKER,
        RETRY,
        HEDGE,
        TIME_LIMIT
    }
}
