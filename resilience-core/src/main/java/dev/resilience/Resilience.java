package dev.resilience;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.fallback.Fallback;
import dev.resilience.fallback.FallbackMethod;
import dev.resilience.hedge.Hedge;
import dev.resilience.hedge.HedgePolicy;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.policy.Require;
import dev.resilience.ratelimit.RateLimit;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.retry.TransactionState;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The library without Spring: makes retries, circuit breakers, bulkheads, rate limits and time limits, composes them into pipelines, and
 * tells listeners what happens in them.
 *
 * <pre>{@code
 * Resilience resilience = Resilience.create();
 * Pipeline payments = resilience.pipeline("payments")
 *         .bulkhead(BulkheadPolicy.defaults())
 *         .circuitBreaker(CircuitBreakerPolicy.defaults())
 *         .retry(RetryPolicy.defaults())
 *         .build();
 * Receipt receipt = payments.call(() -> gateway.charge(order));
 * }</pre>
 *
 * <p>What it makes has a name: asked for the same name and the same policy again, it returns the same object, so two
 * pipelines may share a circuit breaker. Another policy under a name that is taken is refused with an
 * {@link IllegalArgumentException}.
 *
 * <p>Make one for a program and keep it. Safe for use by many threads.
 */
public final class Resilience implements AutoCloseable {

    private final Environment environment;
    private final List<Runnable> ends = new ArrayList<>(); // of the live objects, in the order in which their kinds end
    private final LiveObjects<RetryPolicy, Retry> retries;
    private final LiveObjects<RetryBudgetPolicy, RetryBudget> budgets;
    private final LiveObjects<CircuitBreakerPolicy, CircuitBreaker> circuitBreakers;
    private final LiveObjects<BulkheadPolicy, Bulkhead> bulkheads;
    private final LiveObjects<RateLimitPolicy, RateLimit> rateLimits;
    private final LiveObjects<TimeLimitPolicy, TimeLimit> timeLimits;
    private final LiveObjects<HedgePolicy, Hedge> hedges;
    private final LiveObjects<IdempotencySettings, Idempotency> idempotencies;
    private final Map<String, Fallback> fallbacks = new ConcurrentHashMap<>();

    Resilience(Environment environment) {
        this.environment = environment;
        retries = new LiveObjects<>("retry", this::newRetry, Retry::close);
        rateLimits = new LiveObjects<>("rate limit", RateLimit::new, RateLimit::close);
        bulkheads = new LiveObjects<>("bulkhead", Bulkhead::new, Bulkhead::close);
        timeLimits = new LiveObjects<>("time limit", TimeLimit::new, TimeLimit::close);
        hedges = new LiveObjects<>("hedge", this::newHedge, Hedge::close);
        idempotencies = new LiveObjects<>("idempotency", Resilience::newIdempotency, Idempotency::close);
        circuitBreakers = new LiveObjects<>("circuit breaker", CircuitBreaker::new, CircuitBreaker::flushLog);
        budgets = new LiveObjects<>(
                "retry budget", (name, policy, all) -> new RetryBudget(name, policy, all.time()), budget -> {});
    }

    /** With the system's time, the library's knowledge of failures, and no listener. */
    public static Resilience create() {
        return builder().build();
    }

    /** Starts from what {@link #create()} has. */
    public static ResilienceBuilder builder() {
        return new ResilienceBuilder();
    }

    /**
     * Adds a listener for one type of event, which gets what happens from now on.
     *
     * @param type one of the types in {@code dev.resilience.event}; {@link ResilienceEvent} for all
     * @param listener called on the thread that caused the event, outside all locks. What it throws is logged, and never
     *     seen by the call. Called by many threads
     * @return this
     */
    public <E extends ResilienceEvent> Resilience onEvent(Class<E> type, Consumer<? super E> listener) {
        environment.events().add(type, listener);
        return this;
    }

    /**
     * Begins a pipeline: what is named there is composed in the library's order.
     *
     * @param name of the layers that are made for it, as listeners and the log tell it
     */
    public PipelineBuilder pipeline(String name) {
        return new PipelineBuilder(name, this);
    }

    /**
     * Composes a pipeline in an order of one's own.
     *
     * @param layers retries, circuit breakers and others. The first is the outermost: it sees the call first and its end
     *     last. In {@code outermostFirst(retry, circuitBreaker)} each attempt asks the circuit breaker anew. What a
     *     fallback answers inside an idempotent layer is not stored
     */
    public Pipeline outermostFirst(Layer... layers) {
        return Pipeline.of(List.of(layers), environment.carrier());
    }

    /**
     * A retry.
     *
     * <p>It takes its retries from the budget that the policy names, which {@link #retryBudget} has made before; without a
     * name from a budget of its own, which has the retry's name and {@link RetryBudgetPolicy#defaults()} unless
     * {@link #retryBudget} has made it with others. To get the same retry again, give the same instances of the rules that are
     * code.
     *
     * @throws InvalidPolicyException if the policy names a budget that does not exist
     */
    public Retry retry(String name, RetryPolicy policy) {
        return retries.get(name, policy);
    }

    /**
     * A retry budget, which retries share whose policies name it.
     *
     * @throws IllegalArgumentException also if the name is {@value RetryPolicy#NO_BUDGET}, which means no budget
     */
    public RetryBudget retryBudget(String name, RetryBudgetPolicy policy) {
        if (name.equals(RetryPolicy.NO_BUDGET)) {
            throw new IllegalArgumentException("A retry budget cannot be named 'none', which means no budget");
        }
        return budgets.get(name, policy);
    }

    /** A circuit breaker. */
    public CircuitBreaker circuitBreaker(String name, CircuitBreakerPolicy policy) {
        return circuitBreakers.get(name, policy);
    }

    /** A bulkhead. */
    public Bulkhead bulkhead(String name, BulkheadPolicy policy) {
        return bulkheads.get(name, policy);
    }

    /** A rate limit. */
    public RateLimit rateLimit(String name, RateLimitPolicy policy) {
        return rateLimits.get(name, policy);
    }

    /** A time limit. */
    public TimeLimit timeLimit(String name, TimeLimitPolicy policy) {
        return timeLimits.get(name, policy);
    }

    /**
     * A hedge. It takes its second attempts from the {@link #retryBudget} of its name too, which has {@link
     * RetryBudgetPolicy#defaults()} unless it was made before.
     */
    public Hedge hedge(String name, HedgePolicy policy) {
        return hedges.get(name, policy);
    }

    /**
     * Runs calls once per key. It is no layer itself: {@link Idempotency#protecting} makes one for an operation.
     *
     * @param store where keys and results are kept, such as a {@code MemoryIdempotencyStore}; it stays open
     */
    public Idempotency idempotency(String name, IdempotencyPolicy policy, IdempotencyStore store) {
        return idempotencies.get(name, new IdempotencySettings(policy, store));
    }

    /**
     * A fallback, for an {@linkplain #outermostFirst order of one's own}. See {@link PipelineBuilder#fallback(Class, Function)}.
     */
    public <F extends Throwable> Fallback fallback(
            String name, Class<F> failure, Function<? super F, ? extends @Nullable Object> answer) {
        FallbackMethod method = new FallbackMethod() {
            @Override
            public boolean answers(Throwable thrown) {
                return failure.isInstance(thrown);
            }

            @Override
            public @Nullable Object answer(Invocation invocation, Throwable thrown) {
                return answer.apply(failure.cast(thrown));
            }
        };
        return fallbacks
                .computeIfAbsent(name, unknown -> new Fallback(unknown, method, environment.time()))
                .with(method);
    }

    /**
     * Ends the waits of all calls, releases the threads and flushes the log. A call that waits for a retry gets the failure in
     * hand, one that waits for a bulkhead or a rate limit is refused. What is called later works, but does not wait.
     */
    @Override
    public void close() {
        ends.forEach(Runnable::run);
        fallbacks.values().forEach(Fallback::close);
    }

    private Retry newRetry(String name, RetryPolicy policy, Environment environment) {
        return new Retry(name, policy, environment, budget(name, policy.budget()), TransactionState.NONE);
    }

    private static Idempotency newIdempotency(String name, IdempotencySettings settings, Environment environment) {
        return new Idempotency(name, settings.policy, settings.store, environment);
    }

    private Hedge newHedge(String name, HedgePolicy policy, Environment environment) {
        return new Hedge(name, policy, environment, Objects.requireNonNull(budget(name, null)), TransactionState.NONE);
    }

    private @Nullable RetryBudget budget(String retry, @Nullable String wanted) {
        if (RetryPolicy.NO_BUDGET.equals(wanted)) {
            return null;
        }
        RetryBudget known = budgets.find(wanted == null ? retry : wanted);
        if (known == null) {
            Require.that(wanted == null, "budget", wanted, "must be made before, by retryBudget(name, policy)");
            return retryBudget(retry, RetryBudgetPolicy.defaults());
        }
        return known;
    }

    /** How a live object is made. */
    private interface Factory<S, L> {

        L create(String name, S settings, Environment environment);
    }

    private record IdempotencySettings(IdempotencyPolicy policy, IdempotencyStore store) {}

    /**
     * The live objects of one kind by name, each made when it is first asked for. Safe for use by many threads.
     *
     * @param <S> what a live object is made of: its policy, and what else the caller gives
     * @param <L> the live object
     */
    private final class LiveObjects<S, L> {

        private final String kind;
        private final Factory<S, L> factory;
        private final Consumer<L> end;
        private volatile boolean closed;
        private final Map<String, Made<S, L>> madeByName = new ConcurrentHashMap<>();

        /**
         * @param kind as people read it: {@code circuit breaker}
         * @param end what happens to each of them in the end, and at once to those that are asked for later
         */
        LiveObjects(String kind, Factory<S, L> factory, Consumer<L> end) {
            this.kind = kind;
            this.factory = factory;
            this.end = end;
            ends.add(this::close);
        }

        /**
         * The live object of that name.
         *
         * @throws IllegalArgumentException if there is one that was made of something else
         */
        L get(String name, S settings) {
            Made<S, L> made = madeByName.computeIfAbsent(
                    name, unknown -> new Made<>(settings, factory.create(unknown, settings, environment)));
            if (!made.settings.equals(settings)) {
                throw new IllegalArgumentException(
                        "There is a " + kind + " '" + name + "' already, made of " + made.settings + ", which is not "
                                + settings + ". Give one of the two another name, or both the same values");
            }
            if (closed) {
                end.accept(made.live);
            }
            return made.live;
        }

        @Nullable
        L find(String name) {
            Made<S, L> made = madeByName.get(name);
            return made == null ? null : made.live;
        }

        private void close() {
            closed = true;
            madeByName.values().forEach(made -> end.accept(made.live));
        }

        private record Made<S, L>(S settings, L live) {}
    }
}
