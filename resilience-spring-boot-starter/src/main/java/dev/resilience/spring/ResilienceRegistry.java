package dev.resilience.spring;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.event.PolicyChanged;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.hedge.Hedge;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.ratelimit.RateLimit;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.timelimit.TimeLimit;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The policies of an application from code: a bean to be injected. It has the live objects that the annotations use too, so
 * that a call from code counts for the same circuit breaker.
 *
 * <pre>{@code
 * Receipt receipt = registry.pipeline("gateway").call(() -> gateway.charge(order));
 * registry.circuitBreaker("gateway").forceOpen();
 * }</pre>
 *
 * <p>A kind is named by the class of its live objects, one's own kind too: {@code registry.get(Throttle.class, "partners")}.
 * Every method that takes such a class throws an {@link IllegalArgumentException} if no kind makes objects of it.
 *
 * <p>Safe for use by many threads. A look-up takes no lock.
 */
public interface ResilienceRegistry {

    /** The retry of that name; see {@link #get}. */
    default Retry retry(String name) {
        return get(Retry.class, name);
    }

    /** The circuit breaker of that name; see {@link #get}. */
    default CircuitBreaker circuitBreaker(String name) {
        return get(CircuitBreaker.class, name);
    }

    /** The bulkhead of that name; see {@link #get}. */
    default Bulkhead bulkhead(String name) {
        return get(Bulkhead.class, name);
    }

    /** The rate limit of that name; see {@link #get}. */
    default RateLimit rateLimit(String name) {
        return get(RateLimit.class, name);
    }

    /** The time limit of that name; see {@link #get}. */
    default TimeLimit timeLimit(String name) {
        return get(TimeLimit.class, name);
    }

    /** The hedge of that name; see {@link #get}. */
    default Hedge hedge(String name) {
        return get(Hedge.class, name);
    }

    /** The idempotency of that name; see {@link #get}. */
    default Idempotency idempotency(String name) {
        return get(Idempotency.class, name);
    }

    /** The retry budget of that name, where a retry policy's own budget bears the policy's name; see {@link #get}. */
    default RetryBudget retryBudget(String name) {
        return get(RetryBudget.class, name);
    }

    /**
     * The live object of a name.
     *
     * @throws IllegalArgumentException if there is none; it offers the nearest names
     */
    <L extends LiveObject<?>> L get(Class<L> type, String name);

    /** The live object of a name, if there is one. */
    default <L extends LiveObject<?>> Optional<L> find(Class<L> type, String name) {
        return Optional.ofNullable(all(type).get(name));
    }

    /** All live objects of a kind by name, in alphabetical order: a view that shows what is added and removed. */
    <L extends LiveObject<?>> Map<String, L> all(Class<L> type);

    /** All retries by name; see {@link #all}. */
    default Map<String, Retry> retries() {
        return all(Retry.class);
    }

    /** All circuit breakers by name; see {@link #all}. */
    default Map<String, CircuitBreaker> circuitBreakers() {
        return all(CircuitBreaker.class);
    }

    /** All bulkheads by name; see {@link #all}. */
    default Map<String, Bulkhead> bulkheads() {
        return all(Bulkhead.class);
    }

    /** All rate limits by name; see {@link #all}. */
    default Map<String, RateLimit> rateLimits() {
        return all(RateLimit.class);
    }

    /** All time limits by name; see {@link #all}. */
    default Map<String, TimeLimit> timeLimits() {
        return all(TimeLimit.class);
    }

    /** What makes methods idempotent, by the name of the policy; see {@link #all}. */
    default Map<String, Idempotency> idempotencies() {
        return all(Idempotency.class);
    }

    /** All retry budgets by name; see {@link #all}. */
    default Map<String, RetryBudget> retryBudgets() {
        return all(RetryBudget.class);
    }

    /**
     * The live object of a name, made of another policy if there is none yet. It has meters and an entry in the actuator. One
     * that exists is returned as it is, so what is configured under the name holds.
     *
     * <p>Meters and memory grow with each name. So the names should be few and known, such as partners or regions, and never
     * come from a request as they are. By default code makes at most 1,000 of a kind ({@code resilience.registry.max-created}).
     *
     * @param template the name of the policy, as it is now: {@code default} for one
     * @throws IllegalArgumentException if there is no policy of the template's name, or if the name is blank
     * @throws IllegalStateException if code has made as many of the kind as it may
     */
    <L extends LiveObject<?>> L getOrCreate(Class<L> type, String name, String template);

    /** As {@link #getOrCreate(Class, String, String)}, made of a policy that code has built. */
    <P extends Record, L extends LiveObject<P>> L getOrCreate(Class<L> type, String name, P policy);

    /**
     * Removes what {@link #getOrCreate} has made, with its meters, its threads and its entry in the actuator. Its waits end as
     * when the application ends; code that still holds it can call it.
     *
     * @return whether there was one of that name
     * @throws IllegalArgumentException if it is configured, or if methods use it: those stay
     */
    boolean remove(Class<? extends LiveObject<?>> type, String name);

    /**
     * Changes a policy while the application runs: of this name, and not of those that started from it. The change holds for
     * calls that begin from now on, is told by a line in the log and a {@link PolicyChanged}, and is gone after a restart.
     *
     * @throws IllegalArgumentException if there is none of that name, or if the new policy differs in what cannot change while
     *     calls run
     * @throws UnsupportedOperationException if nothing of the kind can change
     */
    <P extends Record, L extends LiveObject<P>> L reconfigure(Class<L> type, String name, P policy);

    /**
     * As {@link #reconfigure(Class, String, Record)}, with only what changes: values by key as in YAML, nested or dotted, and
     * checked likewise: {@code Map.of("max-concurrent", 20)}.
     *
     * @throws ResilienceConfigurationException for unknown keys and for values that the policy cannot have, all of them at once
     */
    <L extends LiveObject<?>> L reconfigure(Class<L> type, String name, Map<String, ?> changes);

    /**
     * All layers of one name, in the order of the application ({@code resilience.order}): the bulkhead, the circuit breaker,
     * the retry and the time limit that are called so, as far as there are such. Idempotency is not among them, because it has
     * to know the method. Make it once and keep it.
     *
     * @throws IllegalArgumentException if no layer has the name
     */
    Pipeline pipeline(String name);

    /**
     * Layers of any names in an order of one's own, the outermost first. Asynchronous calls take along what those of annotated
     * methods do.
     */
    Pipeline outermostFirst(Layer... layers);

    /**
     * Adds a listener for one type of event, which hears of what happens from now on.
     *
     * @param type one of the types in {@code dev.resilience.event}; {@link ResilienceEvent} for all
     * @param listener called on the thread that caused the event, outside all locks. What it throws is logged, and never
     *     seen by the call. Called by many threads
     * @return this
     */
    <E extends ResilienceEvent> ResilienceRegistry onEvent(Class<E> type, Consumer<? super E> listener);

    /**
     * Gives every circuit breaker its initial state and an empty window, as before the first call: for tests that share an
     * application. What circuit breakers, bulkheads and rate limits know of single keys is forgotten, states given by hand
     * among it; a key whose call is under way stays as it is. Counters go on, because meters show them, and so do retry
     * budgets. {@link CircuitBreaker#reset()} does it for one.
     */
    void reset();
}
