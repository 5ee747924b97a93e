package dev.resilience.spring;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.fallback.Fallback;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.timelimit.TimeLimit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/**
 * The live objects of an application, by kind and name, and which methods use them. Made once, at startup, of all
 * policies that are configured; looking something up never makes it. Safe for use by many threads.
 *
 * @param retries by the name of the policy
 * @param circuitBreakers by the name of the policy
 * @param bulkheads by the name of the policy
 * @param timeLimits by the name of the policy
 * @param idempotencies by the name of the policy
 * @param retryBudgets by the name of the budget; a retry policy's own budget bears the policy's name
 * @param times of the policies whose calls wait
 * @param fallbacks by the protected method; filled while methods are resolved
 * @param users which methods use a policy; filled while methods are resolved
 * @param firstUses what is told of a policy when the first method uses it
 */
public record ResilienceRegistry(
        Map<String, Retry> retries,
        Map<String, CircuitBreaker> circuitBreakers,
        Map<String, Bulkhead> bulkheads,
        Map<String, TimeLimit> timeLimits,
        Map<String, Idempotency> idempotencies,
        Map<String, RetryBudget> retryBudgets,
        PolicyTimes times,
        ConcurrentMap<String, Fallback> fallbacks,
        ConcurrentMap<String, Set<String>> users,
        List<BiConsumer<PolicyKind, String>> firstUses)
        implements AutoCloseable {

    public ResilienceRegistry(
            Map<String, Retry> retries,
            Map<String, CircuitBreaker> circuitBreakers,
            Map<String, Bulkhead> bulkheads,
            Map<String, TimeLimit> timeLimits,
            Map<String, Idempotency> idempotencies,
            Map<String, RetryBudget> retryBudgets,
            PolicyTimes times) {
        this(
                retries,
                circuitBreakers,
                bulkheads,
                timeLimits,
                idempotencies,
                retryBudgets,
                times,
                new ConcurrentHashMap<>(),
                new ConcurrentHashMap<>(),
                new CopyOnWriteArrayList<>());
    }

    /** The live objects of a kind by name. */
    public Map<String, ?> ofKind(PolicyKind kind) {
        return switch (kind) {
            case RETRY -> retries;
            case CIRCUIT_BREAKER -> circuitBreakers;
            case BULKHEAD -> bulkheads;
            case TIME_LIMIT -> timeLimits;
            case IDEMPOTENCY -> idempotencies;
            case RETRY_BUDGET -> retryBudgets;
        };
    }

    /**
     * The application is about to end: every wait ends, and none begins any more, until {@link #resumeWaits()}. A call that
     * waits for a retry fails with the failure in hand, one in the line of a bulkhead is refused. What runs is left alone.
     * Returns without waiting.
     */
    public void stopWaits() {
        times.stop();
        bulkheads.values().forEach(Bulkhead::stopWaits);
    }

    /** Lets calls wait again. */
    public void resumeWaits() {
        times.resume();
        bulkheads.values().forEach(Bulkhead::resume);
    }

    /** Whether calls run on threads of the library, or began there and have not ended; those of time limits end in time. */
    public boolean isAtWork() {
        return bulkheads.values().stream().anyMatch(Bulkhead::poolHasWork) || times.anyRun();
    }

    /** Interrupts the calls that run on threads of the library, and cancels the stages that they have returned. */
    public void stopRunning() {
        bulkheads.values().forEach(Bulkhead::stopPool);
        times.stopRunning();
    }

    /**
     * With the application: ends all waits, lets go of the threads, and writes what the log has counted in place of single
     * lines. What is still called works as before, but never waits.
     */
    @Override
    public void close() {
        times.close();
        retries.values().forEach(Retry::close);
        circuitBreakers.values().forEach(CircuitBreaker::flushLog);
        fallbacks.values().forEach(Fallback::close);
        idempotencies.values().forEach(Idempotency::close);
        bulkheads.values().forEach(Bulkhead::close);
        timeLimits.values().forEach(TimeLimit::close);
    }

    /**
     * Gives every circuit breaker its initial state and an empty window, as before the first call: for tests that share
     * an application. Counters go on, and so do retry budgets.
     */
    public void reset() {
        circuitBreakers.values().forEach(CircuitBreaker::reset);
    }

    /** Notes that a method uses a policy. */
    public void use(PolicyKind kind, String name, String method) {
        Set<String> methods = users.computeIfAbsent(kind.id() + "/" + name, key -> new ConcurrentSkipListSet<>());
        boolean first = methods.isEmpty();
        methods.add(method);
        if (first) {
            firstUses.forEach(listener -> listener.accept(kind, name));
        }
    }

    /** Whether it is a {@code default} that is there for other policies to start from, and that no method uses. */
    public boolean isUnusedDefault(PolicyKind kind, String name) {
        return name.equals("default") && usedBy(kind, name).isEmpty();
    }

    /** The methods that use a policy, in alphabetical order: {@code OrderService.place(Order)}. */
    public List<String> usedBy(PolicyKind kind, String name) {
        return List.copyOf(users.getOrDefault(kind.id() + "/" + name, Set.of()));
    }
}
